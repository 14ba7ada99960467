/*
 * Node's own limits, and our headers where Node responds by itself: slow, half-sent and unreadable requests
 * (`tests/integration/header-scan.test.ts`, row 46 in `tests/faults/hostile-connections.test.ts`).
 */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyHttpOptions } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { Second } from '../../shared/time.ts';

/** Bytes of a request's line and headers together; more gets 431. */
export const MAX_HEADER_BYTES = 16 * 1024;

/** Each uses some 20 kB, which bounds a flood of them to the container’s memory. The proxy opens fewer. */
export const MAX_CONNECTIONS = 4_000;

/**
 * Milliseconds a handler may take: more than every timeout of what it waits for. Fastify 5.12 ends the limit of a
 * request that has a body once the body has arrived.
 */
const HANDLER_TIMEOUT = 30 * Second;

/**
 * How long anything may take, in milliseconds; Fastify and Node set most of these to none.
 * A connection that has sent nothing counts as one whose headers don't arrive.
 */
export const httpLimits = {
  http: {
    headersTimeout: 10 * Second,
    // Both times are checked this often; Node's own 30 s would make 10 s up to 40.
    connectionsCheckingInterval: 1 * Second,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Node would respond by itself, without our headers; the request guard does it.
    requireHostHeader: false,
  },
  /** Of a whole request to arrive, headers and body. */
  requestTimeout: 15 * Second,
  /** Of a connection without a byte before its first request, or in either direction during one. */
  connectionTimeout: HANDLER_TIMEOUT + 5 * Second,
  /**
   * Of a connection between two requests; Node adds a second. Longer than load balancers keep theirs, 60 s at AWS and
   * nginx: who closes first never sends a post on a connection that the other side is closing.
   */
  keepAliveTimeout: 72 * Second,
} as const satisfies FastifyHttpOptions<Server>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The handler waits for nothing outside of the process, or no longer than its own timeouts let it: it is
     * without Fastify's limit, which takes more time than it is worth there (decision 071).
     */
    readonly isBounded?: boolean;
  }
}

type Headers = Readonly<Record<string, string>>;

/** The status of a request that isn't HTTP, or not enough of it. */
const statusByCode: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

interface Unreadable {
  readonly code: string;
  readonly socket: Socket;
  /** Of the request before it, where it is still to be sent; it is then the last. */
  readonly due: ServerResponse | undefined;
}

/** Responds to what can't be parsed, where no request exists yet, with our headers, and closes the connection. */
export function respondToUnreadable({ code, socket, due }: Unreadable, headers: Headers): void {
  // What is read restarts the connection's timeout, also where its client never reads what is due.
  socket.pause();
  if (due) {
    if (!due.headersSent) due.setHeader('connection', 'close');
    due.once('finish', () => socket.destroySoon());
    return;
  }

  if (socket.writable) {
    const lines = Object.entries({ ...headers, 'content-length': '0', connection: 'close' });
    socket.write(
      `HTTP/1.1 ${statusByCode[code] ?? '400 Bad Request'}\r\n` +
        `${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    );
  }
  // Not `end`, which would wait for the client to close its side, too.
  socket.destroySoon();
}

interface ServerLimitsOptions {
  readonly headers: Headers;
}

/** Sets the limits for which Fastify has no options, and that of handlers. */
export const serverLimits = fastifyPlugin<ServerLimitsOptions>(
  async (app, { headers }) => {
    const { server } = app;
    app.addHook('onRoute', (route) => {
      if (!route.config?.isBounded) route.handlerTimeout = HANDLER_TIMEOUT;
    });
    server.maxConnections = MAX_CONNECTIONS;
    // Node would refuse an expectation by itself, without our headers.
    server.on('checkExpectation', (_request, response) => {
      response.writeHead(417, { ...headers, 'content-length': 0 }).end();
    });
  },
  { name: 'server-limits' },
);
