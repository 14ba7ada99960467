import type { Page, Request } from 'playwright-core';
import { expect, test } from 'vitest';
import { pathTo, routePatterns } from '../../shared/paths.ts';
import { findViolations } from './find-violations.ts';
import { desktop, eventually, phone, serveSite, withoutScripts } from './serve-site.ts';

const site = serveSite();

const PAGE = pathTo.solution('ai-transformation');
const ARTICLE = pathTo.article('ai-roi-measurement');
const HEADING = 'What does your busywork cost you?';

const findEstimate = (page: Page) => page.getByRole('region', { name: HEADING });
const findField = (page: Page, name: string) => findEstimate(page).getByRole('textbox', { name });
const findSlider = (page: Page, name: string) => findEstimate(page).getByRole('slider', { name });
const findTakeLink = (page: Page) => page.getByRole('link', { name: 'Take this to your assessment' });
const readResult = (page: Page) => findEstimate(page).getByRole('status').innerText();

const example = 'This work costs about $110,400 a year. 30–50% of that is $33,120 to $55,200.';
const unanswered = 'Enter a number in all three fields to see the estimate.';

test('without scripts the estimate is a worked example, even in an article', async () => {
  const { page } = await site.visit(ARTICLE, withoutScripts);
  const estimate = findEstimate(page);
  await estimate.scrollIntoViewIfNeeded();

  expect(await estimate.getByRole('listitem').allInnerTexts()).toEqual([
    '12 people × 5 hours a week = 60 hours a week.',
    expect.stringContaining('60 hours × 46 working weeks = 2,760 hours a year.'),
    '2,760 hours × $40 = $110,400 a year.',
    expect.stringContaining('30% of $110,400 is $33,120, and 50% is $55,200.'),
  ]);
  expect(await estimate.getByText('For example, assume that 12 people').isVisible()).toBe(true);
  for (const note of ['Saved hours become money only where', 'Results depend on where you start.']) {
    expect(await estimate.getByText(note).isVisible()).toBe(true);
  }
  expect(await estimate.getByRole('row', { name: '100 $920,000 $276,000 to $460,000' }).count()).toBe(1);
  expect(await estimate.getByRole('textbox').count()).toBe(0);
});

test('the estimate loads when it is near the viewport, then sends no requests, and updates when its fields and sliders change', async () => {
  const requests: Request[] = [];
  const { page, reportedErrors } = await site.visit(PAGE, {
    ...phone,
    locale: 'en-US',
    prepare: async (opened) => {
      opened.on('request', (request) => requests.push(request));
    },
  });
  const before = requests.length;
  expect(await findField(page, 'People').count()).toBe(0);
  await findEstimate(page).scrollIntoViewIfNeeded();
  await findField(page, 'People').waitFor();
  const isScript = (request: Request) => request.resourceType() === 'script';
  expect([1, 2]).toContain(requests.slice(before).filter(isScript).length);
  const whenReady = requests.length;
  expect(await readResult(page)).toBe(example);

  const people = findField(page, 'People');
  for (const [typed, result] of [
    ['1,000', '$9,200,000'],
    ['', unanswered],
    ['many', unanswered],
    ['  12 people ', '$110,400'],
  ] as const) {
    await people.fill(typed);
    expect(await readResult(page), typed).toContain(result);
    expect(await people.getAttribute('aria-invalid')).toBe(typed === 'many' ? 'true' : null);
  }

  const slider = findSlider(page, 'Hours a week each');
  await slider.press('ArrowRight');
  expect(await slider.getAttribute('aria-valuetext')).toBe('5.5 hours');
  expect(await findField(page, 'Hours a week each').inputValue()).toBe('5.5');
  expect(await readResult(page)).toContain('$121,440');
  // Pictures near the viewport may load at any time.
  const later = requests.slice(whenReady).filter((request) => request.resourceType() !== 'image');
  expect(later.map((request) => request.url())).toEqual([]);
  expect(await findViolations(page)).toEqual([]);
  expect(reportedErrors).toEqual([]);
  expect(await page.evaluate(() => ({ ...sessionStorage }))).not.toHaveProperty('message_note');
});

test('the contact form links to the estimate, which is added to the message only once', async () => {
  const { page } = await site.visit(routePatterns.contact, { ...desktop, locale: 'en-US' });
  const message = page.getByLabel('Message');
  await message.fill('We copy orders.');
  await message.blur();
  await page.getByRole('link', { name: 'Estimate what your busywork costs' }).click();
  await findField(page, 'People').fill('3');
  await findTakeLink(page).click();
  const sentence =
    'By our estimate, 3 people spend 5 hours a week each on busywork, which at USD 40 an hour costs about USD 27,600 a year.';

  await eventually(() => message.inputValue()).toBe(`We copy orders.\n\n${sentence}`);
  await message.fill('We copy orders by hand.');
  await message.blur();
  await page.reload();
  await eventually(() => message.inputValue()).toBe('We copy orders by hand.');
});
