import type { Locator, Page } from 'playwright-core';

/** The titles of the open accordion items in the main content or a part of it. */
export function listOpenItems(page: Page, within: Locator = page.locator('main')): Promise<string[]> {
  return within.locator('details[open] > summary h3').allInnerTexts();
}
