import type { Page } from 'playwright-core';

/**
 * Holds back what becomes of the page's copies, so that a test sees the state in between.
 * @returns refuses the copy that waits
 */
export async function holdCopies(page: Page): Promise<() => Promise<void>> {
  await page.evaluate(() => {
    navigator.clipboard.writeText = () =>
      new Promise((_resolve, reject) => {
        addEventListener('refusecopy', () => reject(new Error('denied')), { once: true });
      });
  });

  return () =>
    page.evaluate(() => {
      dispatchEvent(new Event('refusecopy'));
    });
}
