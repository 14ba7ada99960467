/** A request as `fetch` takes it. Redirects are not followed. */
export interface TestRequest extends RequestInit {
  /** The address it comes from. The default is 127.0.0.1. */
  readonly client?: string | undefined;
}

/** An application that takes requests without listening (`build-test-app.ts`). */
export interface RequestTarget {
  /** @param path with its query, or the whole address */
  readonly fetch: (path: string, request?: TestRequest) => Promise<Response>;
}

/** The origin of a listening site, or an application under test. */
export type TestSite = string | RequestTarget;

/** Sends a request to a site. A listening site must trust this machine (TRUST_PROXY) for `client`. */
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
