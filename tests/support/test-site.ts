/** `fetch` options plus a client. */
export interface TestRequest extends RequestInit {
  /** The client's address. The default is 127.0.0.1. */
  readonly client?: string | undefined;
}

/** An application that handles requests without a port (`build-test-app.ts`). It doesn't follow redirects. */
export interface RequestTarget {
  /** @param path path and query, or a whole URL */
  readonly fetch: (path: string, request?: TestRequest) => Promise<Response>;
}

/** The origin of a listening site, or an application under test. */
export type TestSite = string | RequestTarget;

/** Sends a request to a site. `client` requires that a listening site trusts this machine (TRUST_PROXY). */
export function request(
  site: TestSite,
  path: string,
  { client, ...init }: TestRequest = {},
): Promise<Response> {
  if (typeof site !== 'string') return site.fetch(path, { client, ...init });
  const headers = new Headers(init.headers);
  if (client !== undefined) headers.set('x-forwarded-for', client);

  return fetch(site + path, { ...init, headers });
}
