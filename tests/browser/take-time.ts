import type { Page } from 'playwright-core';

/** Time in milliseconds, more than the two seconds below which a form counts as sent by a program. */
const LONG_ENOUGH = 3_000;

/**
 * Makes the visitor spend time on the visible form. A form that is sent sooner is held as possible spam.
 */
export async function takeTime(page: Page): Promise<void> {
  await page.evaluate((milliseconds) => {
    const now = performance.now.bind(performance);
    performance.now = () => now() + milliseconds;
  }, LONG_ENOUGH);
}
