/**
 * A customer's receiver of our signed webhooks. It checks signatures with node:crypto, so that the tests compare the
 * signing package with the specification.
 * Source: the Standard Webhooks specification 1.0, as summarized in the project's research notes.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import * as v from 'valibot';

/** A request as it was sent. `path` includes the query. */
interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface WebhookResponse {
  readonly status: number;
  readonly body?: string;
}

interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  /** ISO time of the event. */
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The receiver takes the next event but loses the response: it never sends one, or cuts the connection. */
type LostResponse = 'hang-after' | 'cut-after';

export interface WebhookReceiver {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly secret: string;
  readonly requests: readonly LoggedRequest[];
  /** Each event once, even if it was sent several times. */
  readonly received: readonly ReceivedEvent[];
  /** One entry per request, oldest first. */
  readonly lostResponses: LostResponse[];
  /** Sets the status of later responses, at first 204. The receiver takes an event only with a 2xx status. */
  respond(status: number, body?: string): void;
  /** Stops listening and cuts every connection, including hanging ones. */
  close(): Promise<void>;
}

const SECRET_PREFIX = 'whsec_';
const WINDOW_SECONDS = 5 * 60;

const eventBody = v.strictObject({
  type: v.pipe(v.string(), v.regex(/^[a-zA-Z0-9_]+(?:\.[a-zA-Z0-9_]+)*$/)),
  timestamp: v.pipe(v.string(), v.isoTimestamp()),
  data: v.record(v.string(), v.unknown()),
});

/** Thrown to end a request with a status. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

function refuse(status: number, message: string): never {
  throw new Refusal(status, message);
}

function requireHeader({ headers }: LoggedRequest, name: string): string {
  return headers[name]?.toString() ?? refuse(400, `${name} is missing`);
}

function checkTime(timestamp: string): void {
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!/^\d+$/.test(timestamp) || age > WINDOW_SECONDS) refuse(400, 'the timestamp is out of time');
}

/** Whether an entry of the list is the text's signature under the secret. */
function isSigned(list: string, content: string, secret: string): boolean {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const wanted = Buffer.from(`v1,${createHmac('sha256', key).update(content).digest('base64')}`);

  return list
    .split(' ')
    .map((entry) => Buffer.from(entry))
    .some((entry) => entry.length === wanted.length && timingSafeEqual(entry, wanted));
}

function readEvent(request: LoggedRequest, secret: string): ReceivedEvent {
  if (request.method !== 'POST') refuse(405, 'POST only');
  if (request.headers['content-type'] !== 'application/json') refuse(415, 'JSON only');
  const id = requireHeader(request, 'webhook-id');
  const timestamp = requireHeader(request, 'webhook-timestamp');
  const signatures = requireHeader(request, 'webhook-signature');
  if (id === '' || id.includes('.')) refuse(400, 'webhook-id must not hold a dot');
  checkTime(timestamp);
  if (!isSigned(signatures, `${id}.${timestamp}.${request.body}`, secret)) {
    refuse(401, 'no signature matches');
  }

  return { id, ...v.parse(v.pipe(v.string(), v.parseJson(), eventBody), request.body) };
}

async function readRequest(message: IncomingMessage): Promise<LoggedRequest> {
  const { method = '', url = '', headers } = message;

  return { method, path: url, headers, body: await text(message) };
}

/** Starts a receiver that takes signed events at any path. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const secret = SECRET_PREFIX + randomBytes(32).toString('base64');
  const requests: LoggedRequest[] = [];
  const received: ReceivedEvent[] = [];
  const lostResponses: LostResponse[] = [];
  let response: WebhookResponse = { status: 204 };
  const receive = (request: LoggedRequest): WebhookResponse => {
    requests.push(request);
    try {
      const event = readEvent(request, secret);
      const isAccepted = response.status >= 200 && response.status < 300;
      if (isAccepted && received.every(({ id }) => id !== event.id)) received.push(event);

      return response;
    } catch (error) {
      // A bug of the receiver itself shows as a 500 with its message.
      return { status: error instanceof Refusal ? error.status : 500, body: String(error) };
    }
  };
  const server = createServer(async (message, reply) => {
    const { status, body } = receive(await readRequest(message));
    const lost = lostResponses.shift();
    if (lost === 'cut-after') reply.destroy();
    else if (lost === undefined) reply.writeHead(status).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    secret,
    requests,
    received,
    lostResponses,
    respond: (status, body = '') => {
      response = { status, body };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
