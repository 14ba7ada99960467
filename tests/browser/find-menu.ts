import type { Locator, Page } from 'playwright-core';

/** Finds the menu with this name in the visible navigation or its drawer. */
export function findMenu(page: Page, label: string): Locator {
  const named = page.locator('> summary:visible', { hasText: label });

  return page.getByRole('banner').locator('details').filter({ has: named });
}

export function isOpen(page: Page, label: string): Promise<boolean> {
  return findMenu(page, label).evaluate((element) => (element as HTMLDetailsElement).open);
}

/** Returns each link's first line and target. */
export function listLinks(within: Locator): Promise<[string, string | null][]> {
  return within
    .locator('a:visible')
    .evaluateAll((links) =>
      links.map((link) => [
        (link as HTMLElement).innerText.split('\n')[0] ?? '',
        link.getAttribute('href'),
      ]),
    );
}
