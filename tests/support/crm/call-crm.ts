/** The result of a call to a fake CRM; `body` is undefined when there was none. */
export interface CrmCall {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Sends a request with a JSON body, if any, as a careful client would; reads a JSON response. */
export async function callCrm(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): Promise<CrmCall> {
  const response = await fetch(url, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();

  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : (JSON.parse(text) as unknown),
  };
}
