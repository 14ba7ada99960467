import type { Page, Route } from 'playwright-core';

/**
 * Delays the requests for these URLs, so that a test sees the state in between.
 * @param respond handles each request when it is released; by default it continues
 * @returns a function that releases these and later requests
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
