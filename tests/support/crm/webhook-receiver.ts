/**
 * Somebody's receiver of our signed webhooks. It checks signatures with node:crypto itself, so that
 * it agrees with the specification and not with the package that signs.
 * Source: the Standard Webhooks specification 1.0, as summarized in the project's research notes.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import * as v from 'valibot';
import {
  respondJson,
  Refusal,
  startFakeCrm,
  type CrmResponse,
  type FakeCrm,
  type LoggedRequest,
} from './fake-crm.ts';

interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  /** ISO time of the event. */
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface WebhookReceiverOptions {
  /** `whsec_<base64>`; a fresh one when not given. */
  readonly secret?: string;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export interface WebhookReceiver extends FakeCrm {
  readonly secret: string;
  /** Each event once, however often it was sent. */
  readonly received: readonly ReceivedEvent[];
  /** From now on responds so; only with a 2xx does it take an event. It begins with 204. */
  respond(status: number, headers?: Readonly<Record<string, string>>): void;
}

const SECRET_PREFIX = 'whsec_';
const WINDOW_SECONDS = 5 * 60;

const eventBody = v.strictObject({
  type: v.pipe(v.string(), v.regex(/^[a-zA-Z0-9_]+(?:\.[a-zA-Z0-9_]+)*$/)),
  timestamp: v.pipe(v.string(), v.isoTimestamp()),
  data: v.record(v.string(), v.unknown()),
});

function refuse(status: number, message: string): never {
  throw new Refusal(respondJson(status, { message }));
}

function requireHeader({ headers }: LoggedRequest, name: string): string {
  return headers[name] ?? refuse(400, `${name} is missing`);
}

function checkTime(timestamp: string, nowMs: number): void {
  const age = Math.abs(nowMs / 1000 - Number(timestamp));
  if (!/^\d+$/.test(timestamp) || age > WINDOW_SECONDS) refuse(400, 'the timestamp is out of time');
}

/** Whether one entry of the list is the signature of this text under this secret. */
function isSigned(list: string, content: string, secret: string): boolean {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const wanted = Buffer.from(`v1,${createHmac('sha256', key).update(content).digest('base64')}`);

  return list
    .split(' ')
    .map((entry) => Buffer.from(entry))
    .some((entry) => entry.length === wanted.length && timingSafeEqual(entry, wanted));
}

function readEvent(request: LoggedRequest, secret: string, nowMs: number): ReceivedEvent {
  if (request.method !== 'POST') refuse(405, 'POST only');
  if (request.headers['content-type'] !== 'application/json') refuse(415, 'JSON only');
  const id = requireHeader(request, 'webhook-id');
  const timestamp = requireHeader(request, 'webhook-timestamp');
  const signatures = requireHeader(request, 'webhook-signature');
  if (id === '' || id.includes('.')) refuse(400, 'webhook-id must not hold a dot');
  checkTime(timestamp, nowMs);
  if (!isSigned(signatures, `${id}.${timestamp}.${request.body}`, secret)) {
    refuse(401, 'no signature matches');
  }

  return { id, ...v.parse(v.pipe(v.string(), v.parseJson(), eventBody), request.body) };
}

/** Starts a receiver that takes signed events at any path. */
export async function startWebhookReceiver(
  options: WebhookReceiverOptions = {},
): Promise<WebhookReceiver> {
  const { secret = SECRET_PREFIX + randomBytes(32).toString('base64'), now = Date.now } = options;
  const received: ReceivedEvent[] = [];
  let response: CrmResponse = { status: 204 };
  const crm = await startFakeCrm((request) => {
    const event = readEvent(request, secret, now());
    const isAccepted = response.status >= 200 && response.status < 300;
    if (isAccepted && received.every(({ id }) => id !== event.id)) received.push(event);

    return response;
  });

  return {
    ...crm,
    secret,
    received,
    respond: (status, headers = {}) => {
      response = { status, headers };
    },
  };
}
