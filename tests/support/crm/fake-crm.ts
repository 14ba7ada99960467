import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What came in; `path` is the request's target as sent, with its query. */
export interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * What the server does with the next request that matches: used up one per request, the first that
 * matches first. `on` is tested against 'METHOD /path'; without it every request matches.
 * `response` and `redirect` do nothing of what was asked.
 */
export type CrmFault = { readonly on?: RegExp } & (
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: string;
    }
  /** Processes it, responds so many milliseconds later. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Never responds, does nothing. */
  | { readonly kind: 'hang-before' }
  /** Processes it, never responds: a timeout that leaves open what happened. */
  | { readonly kind: 'hang-after' }
  /** Processes it, then destroys the connection. */
  | { readonly kind: 'cut-after' }
  /** Processes it, responds as it should, with 8 MiB before the JSON, which spaces may precede. */
  | { readonly kind: 'huge-after' }
  /** Processes it, begins to respond as it should, then destroys the connection. */
  | { readonly kind: 'cut-body' }
  /** Processes the request, begins a correct response, then sends no more. */
  | { readonly kind: 'stall-body' }
  | { readonly kind: 'redirect'; readonly to: string }
);

/** A real HTTP server that responds as a CRM would. */
export interface FakeCrm {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly requests: readonly LoggedRequest[];
  readonly faults: CrmFault[];
  /** Stops listening and cuts every connection, hanging ones too. */
  close(): Promise<void>;
}

export interface CrmResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Ends the handling of a request with the given response. */
export class Refusal extends Error {
  readonly response: CrmResponse;

  constructor(response: CrmResponse) {
    super(`Refused with ${response.status}.`);
    this.response = response;
  }
}

/** More than the longest listing that is read. */
const ENDLESS_BYTES = 8 * 1024 * 1024;
const DRIP_MS = 100;
const jsonType = { 'content-type': 'application/json;charset=utf-8' };

/** A response with a JSON body. */
export function respondJson(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): CrmResponse {
  return { status, headers: { ...jsonType, ...headers }, body: JSON.stringify(value) };
}

async function readRequest(message: IncomingMessage): Promise<LoggedRequest> {
  const headers = Object.entries(message.headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ]);

  return {
    method: message.method ?? '',
    path: message.url ?? '',
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: await text(message),
    at: Date.now(),
  };
}

function send(response: ServerResponse, { status, headers, body }: CrmResponse): void {
  response.writeHead(status, headers).end(body);
}

/** Sends a response's status and the first half of its body, of which there is one. */
function sendHalf(response: ServerResponse, { status, headers, body = '{}' }: CrmResponse): void {
  // 204 has no body.
  response.writeHead(status === 204 ? 200 : status, { ...headers, 'content-length': body.length });
  response.write(body.slice(0, body.length / 2));
}

/** Does what was asked; a slip of the fake itself shows as a 500 with its message. */
function handleSafely(
  handle: (request: LoggedRequest) => CrmResponse,
  request: LoggedRequest,
): CrmResponse {
  try {
    return handle(request);
  } catch (error) {
    if (error instanceof Refusal) return error.response;

    return { status: 500, body: `The fake CRM broke: ${String(error)}` };
  }
}

function respond(
  fault: CrmFault | undefined,
  response: ServerResponse,
  act: () => CrmResponse,
): void {
  switch (fault?.kind) {
    case undefined:
      return send(response, act());
    case 'response':
      return send(response, fault);
    case 'slow':
      setTimeout(send, fault.ms, response, act());

      return;
    case 'hang-before':
      return;
    case 'hang-after':
      act();

      return;
    case 'cut-after':
      act();
      response.destroy();

      return;
    case 'huge-after': {
      const { body = '', status, ...rest } = act();
      const padded = ' '.repeat(ENDLESS_BYTES) + body;

      // 204 has no body.
      return send(response, { ...rest, status: status === 204 ? 200 : status, body: padded });
    }
    case 'cut-body':
      sendHalf(response, act());
      setTimeout(() => response.destroy(), DRIP_MS);

      return;
    case 'stall-body':
      return sendHalf(response, act());
    case 'redirect':
      return send(response, { status: 307, headers: { location: fault.to } });
  }
}

/** Removes the first fault that matches this request from the list. */
function takeFault(faults: CrmFault[], { method, path }: LoggedRequest): CrmFault | undefined {
  const index = faults.findIndex(({ on }) => on === undefined || on.test(`${method} ${path}`));

  return index === -1 ? undefined : faults.splice(index, 1)[0];
}

/**
 * Starts a server on a free port of the loopback address that logs every request, then lets the
 * next matching fault or `handle` respond. `handle` may throw a `Refusal`.
 */
export async function startFakeCrm(
  handle: (request: LoggedRequest) => CrmResponse,
): Promise<FakeCrm> {
  const requests: LoggedRequest[] = [];
  const faults: CrmFault[] = [];
  const server = createServer((message, response) => {
    void readRequest(message).then(
      (request) => {
        requests.push(request);
        respond(takeFault(faults, request), response, () => handleSafely(handle, request));
      },
      // The client disconnected while sending: there is nobody to respond to.
      () => response.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    faults,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
