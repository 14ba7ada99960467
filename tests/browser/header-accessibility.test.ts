import { describe, expect, test } from 'vitest';
import { findMenu, isOpen } from './find-menu.ts';
import { findViolations } from './find-violations.ts';
import { enlargeText, phone, readOverflow, serveSite } from './serve-site.ts';

const site = serveSite();
const visit = site.shareTab();
const visitPhone = site.shareTab(phone);

describe('the header is accessible', () => {
  test('with a menu open', async () => {
    const { page } = await visit('/terms-of-service');
    await findMenu(page, 'Solutions').locator('> summary').click();
    expect(await isOpen(page, 'Solutions')).toBe(true);

    expect(await findViolations(page)).toEqual([]);
  });

  test('with a menu open in the drawer', async () => {
    const { page } = await visitPhone('/terms-of-service');
    await findMenu(page, 'Menu').locator('> summary').tap();
    await findMenu(page, 'Industries').locator('> summary').tap();
    expect(await isOpen(page, 'Industries')).toBe(true);

    expect(await findViolations(page)).toEqual([]);
  });
});

describe('the header at double text size', () => {
  test('shows all its entries without overlap, and opens a menu whose last link can be clicked', async () => {
    const { page } = await visit('/terms-of-service');
    await enlargeText(page);
    const entries = page.getByRole('banner').locator('a:visible, summary:visible');
    const overlaps = await entries.evaluateAll((elements) => {
      const boxes = elements.map((element) => ({
        name: element.textContent,
        box: element.getBoundingClientRect(),
      }));

      return boxes.flatMap(({ name, box }, index) =>
        boxes
          .slice(index + 1)
          .filter(
            ({ box: other }) =>
              other.left < box.right - 1 &&
              other.right > box.left + 1 &&
              other.top < box.bottom - 1 &&
              other.bottom > box.top + 1,
          )
          .map((other) => `${name} and ${other.name}`),
      );
    });

    expect(overlaps).toEqual([]);
    for (const entry of await entries.all()) {
      const box = await entry.boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? NaN) + (box?.width ?? NaN)).toBeLessThanOrEqual(1280);
    }
    await findMenu(page, 'Solutions').locator('> summary').click();
    await findMenu(page, 'Solutions').getByRole('link', { name: 'Contact Professional Services' }).click();
    await page.waitForURL('**/contact');
  });

  test('scrolls with the page, so it doesn’t cover the focused element', async () => {
    const { page } = await visit('/terms-of-service');
    const isShownAfterScroll = async () => {
      const shown: boolean[] = [];
      for (const width of [770, 1000, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        shown.push(
          await page.getByRole('banner').evaluate((header) => {
            scrollTo(0, 2000);

            return header.getBoundingClientRect().bottom > 0;
          }),
        );
      }

      return shown;
    };

    expect(await isShownAfterScroll()).toEqual([true, true, true]);
    await enlargeText(page);
    expect(await isShownAfterScroll()).toEqual([false, false, false]);
  });

  test('works if the browser’s font size is doubled instead', async () => {
    const { page } = await site.visit('/terms-of-service');
    const session = await page.context().newCDPSession(page);
    await session.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } });
    await findMenu(page, 'Menu').locator('> summary').click();
    await findMenu(page, 'Solutions').locator('> summary').click();
    expect(await readOverflow(page)).toBeLessThanOrEqual(0);
    await findMenu(page, 'Solutions').getByRole('link', { name: /Cross-Selling AI Engine/ }).click();

    await page.waitForURL('**/solutions/cross-selling-ai');
  });
});
