import type { Page, Route } from 'playwright-core';

/**
 * Holds the requests for these addresses back, so that a test sees the state in between.
 * @param respond what becomes of each then; they go on unless given
 * @returns lets them go, and those that come later
 */
export async function holdRequests(
  page: Page,
  addresses: Parameters<Page['route']>[0],
  respond: (route: Route) => Promise<void> = (route) => route.continue(),
): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(addresses, async (route) => {
    await released;
    await respond(route);
  });

  return release;
}
