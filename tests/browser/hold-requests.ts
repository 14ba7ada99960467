import type { Page, Route } from 'playwright-core';

/** Builds a response that refuses a request. */
export const makeProblem = (status: number, detail: string, errors?: Readonly<Record<string, string>>) => ({
  status,
  contentType: 'application/problem+json',
  body: JSON.stringify({ type: 'about:blank', title: 'x', status, detail, code: 'x', errors }),
});

/**
 * Holds requests to these URLs, so that a test can check the waiting page.
 * @param respond handles each request once it is released; by default, sends it to the server
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
