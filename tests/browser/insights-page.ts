import type { Page } from 'playwright-core';
import { routePatterns } from '../../shared/paths.ts';
import { waitUntilHydrated } from '../support/browser.ts';
import { makeClient } from '../support/contact-request.ts';
import { PASSWORD } from '../support/insights-gate.ts';
import { serveSite } from './serve-site.ts';

export const findAccess = (page: Page) => page.getByRole('button', { name: 'Access Premium Content' });
export const findField = (page: Page) => page.getByLabel('Password', { exact: true });
export const findUnlock = (page: Page) => page.getByRole('button', { name: 'Unlock Content' });
export const findLock = (page: Page) => page.getByRole('button', { name: 'Lock Content', exact: true });
export const findCards = (page: Page) => page.getByRole('main').getByRole('article');
export const findSearch = (page: Page) => page.getByRole('searchbox', { name: 'Search' });
export const findCount = (page: Page) =>
  page.getByRole('region', { name: 'Articles', exact: true }).getByRole('status');

async function unlock(page: Page): Promise<void> {
  await findAccess(page).click();
  await findField(page).fill(PASSWORD);
  await findUnlock(page).press('Enter');
  await findLock(page).waitFor();
  await waitUntilHydrated(page);
}

/** Starts a separate site, which limits each visitor's attempts by the address that the proxy forwards. */
export function serveInsights() {
  const site = serveSite({ TRUST_PROXY: '127.0.0.1' });

  /** Opens the listing as a visitor with a new address. */
  const visit = (path: string = routePatterns.insights, options: Parameters<typeof site.visit>[1] = {}) =>
    site.visit(path, { ...options, extraHTTPHeaders: { 'x-forwarded-for': makeClient() } });

  /** Opens the listing as a visitor who has unlocked it. */
  const visitUnlocked = async (...visited: Parameters<typeof visit>) => {
    const tab = await visit(...visited);
    await unlock(tab.page);

    return tab;
  };

  const visitShared = site.shareTab({ keepsVisitor: true, extraHTTPHeaders: { 'x-forwarded-for': makeClient() } });

  /** Opens the listing in a tab shared by several tests. The first test unlocks it, and no test may lock it. */
  const visitStillUnlocked = async (path: string = routePatterns.insights) => {
    const tab = await visitShared(path);
    if (await findAccess(tab.page).isVisible()) await unlock(tab.page);

    return tab;
  };

  return { site, visit, visitUnlocked, visitStillUnlocked };
}
