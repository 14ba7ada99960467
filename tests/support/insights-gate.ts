import { apiPaths } from '../../shared/paths.ts';

export const PASSWORD = 'correct horse battery staple';

/** Addresses in networks of their own for the tests of one process, as its proxy would tell them. */
export function makeClients() {
  let count = 0;

  return () => {
    count += 1;

    return `198.${Math.floor(count / 250)}.${count % 250}.1`;
  };
}

interface CallOptions {
  readonly client?: string;
  readonly cookie?: string;
  readonly signal?: AbortSignal;
}

const makeHeaders = ({ client, cookie }: CallOptions): Record<string, string> => ({
  ...(client === undefined ? {} : { 'x-forwarded-for': client }),
  ...(cookie === undefined ? {} : { cookie }),
});

/** Tries a password by the call the page's scripts make. */
export function tryPassword(origin: string, body: unknown, options: CallOptions = {}) {
  return fetch(origin + apiPaths.insightsSession, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...makeHeaders(options) },
    body: JSON.stringify(body),
    ...(options.signal ? { signal: options.signal } : {}),
  });
}

/** The first part of the cookie an answer sets: what a browser sends back. */
export function readCookie(answer: Response): string | undefined {
  return answer.headers.getSetCookie()[0]?.split(';', 1)[0];
}

export const get = (origin: string, path: string, options: CallOptions = {}) =>
  fetch(origin + path, { headers: makeHeaders(options), redirect: 'manual' });

/** Posts a form as a browser without scripts does. */
export function postForm(
  origin: string,
  path: string,
  fields: Readonly<Record<string, string>>,
  options: CallOptions = {},
) {
  return fetch(origin + path, {
    method: 'POST',
    headers: { accept: 'text/html', ...makeHeaders(options) },
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });
}
