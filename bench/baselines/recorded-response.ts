import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A response as it came over the wire, for `plain-fastify.ts` to send again. */
export interface RecordedResponse {
  readonly status: number;
  /** Those that say what the bytes are. */
  readonly headers: Readonly<Record<string, string>>;
  /** All others, except those of the connection. */
  readonly otherHeaders: Readonly<Record<string, string>>;
  /** In base64, compressed as it was. */
  readonly body: string;
}

/** Headers that a client can't do without. */
const ENTITY_HEADERS = new Set(['content-type', 'content-encoding', 'etag']);

/** Headers of one connection or one moment: each server makes its own. */
const CONNECTION_HEADERS = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']);

/** Gets a URL once and records the response without decoding it. */
export async function recordResponse(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<RecordedResponse> {
  const sent = request(url, { headers: { ...headers } });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const body = await buffer(response);
  const known = Object.entries(response.headers).flatMap(([name, value]) =>
    typeof value === 'string' && !CONNECTION_HEADERS.has(name) ? [[name, value] as const] : [],
  );

  return {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(known.filter(([name]) => ENTITY_HEADERS.has(name))),
    otherHeaders: Object.fromEntries(known.filter(([name]) => !ENTITY_HEADERS.has(name))),
    body: body.toString('base64'),
  };
}
