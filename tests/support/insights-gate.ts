import { apiPaths, pathTo, routePatterns } from '../../shared/paths.ts';
import { request, type TestSite } from './test-site.ts';

export const PASSWORD = 'correct horse battery staple';

interface CallOptions {
  readonly client?: string;
  readonly cookie?: string;
}

const makeHeaders = ({ cookie }: CallOptions): Record<string, string> =>
  cookie === undefined ? {} : { cookie };

/** Posts a password to the API, as the page's scripts do. */
export function tryPassword(site: TestSite, body: unknown, options: CallOptions = {}) {
  return request(site, apiPaths.insightsSession, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...makeHeaders(options) },
    body: JSON.stringify(body),
    client: options.client,
  });
}

/** Returns the name and value of a response's cookie, as a browser sends them back. */
export function readCookie(response: Response): string | undefined {
  return response.headers.getSetCookie()[0]?.split(';', 1)[0];
}

export const get = (site: TestSite, path: string, options: CallOptions = {}) =>
  request(site, path, {
    headers: makeHeaders(options),
    redirect: 'manual',
    client: options.client,
  });

/** Returns whether the cookie unlocks the listing. The locked page has no links to articles. */
export async function isListingOpen(site: TestSite, cookie: string): Promise<boolean> {
  const response = await get(site, routePatterns.insights, { cookie });

  return (await response.text()).includes(`href="${pathTo.article('')}`);
}

/** Posts a form as a browser without scripts does. */
export function postForm(
  site: TestSite,
  path: string,
  fields: Readonly<Record<string, string>>,
  options: CallOptions = {},
) {
  return request(site, path, {
    method: 'POST',
    headers: { accept: 'text/html', ...makeHeaders(options) },
    body: new URLSearchParams(fields),
    redirect: 'manual',
    client: options.client,
  });
}
