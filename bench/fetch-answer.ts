import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** An answer as it came over the wire, to be sent again by something else. */
export interface KeptAnswer {
  readonly status: number;
  /** Those that say what the bytes are. */
  readonly headers: Readonly<Record<string, string>>;
  /** All others, but for those of the connection. */
  readonly otherHeaders: Readonly<Record<string, string>>;
  /** In base64, compressed as it was. */
  readonly body: string;
}

/** Of the headers those a client can't do without. */
const MEANINGFUL_HEADERS = new Set(['content-type', 'content-encoding', 'etag']);

/** Of one connection or one moment: whoever sends the answer again makes its own. */
const OWN_HEADERS = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']);

/** Asks for an address once and keeps the answer as it is, compression and all. */
export async function fetchAnswer(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<KeptAnswer> {
  const sent = request(url, { headers: { ...headers } });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const body = await buffer(answer);
  const known = Object.entries(answer.headers).flatMap(([name, value]) =>
    typeof value === 'string' && !OWN_HEADERS.has(name) ? [[name, value] as const] : [],
  );

  return {
    status: answer.statusCode ?? 0,
    headers: Object.fromEntries(known.filter(([name]) => MEANINGFUL_HEADERS.has(name))),
    otherHeaders: Object.fromEntries(known.filter(([name]) => !MEANINGFUL_HEADERS.has(name))),
    body: body.toString('base64'),
  };
}
