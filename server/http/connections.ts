/*
 * Replaces three mechanisms. Node's `maxConnections` refuses new visitors instead of closing old connections (row 75 in
 * `tests/faults/hostile-connections.test.ts`), Node doesn't limit pipelined requests, and close-with-grace waits for idle
 * connections (`tests/faults/graceful-shutdown.test.ts`).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { Second } from '../../shared/time.ts';

/** Maximum total size of the request line and headers, in bytes. A larger request gets 431. */
export const MAX_HEADER_BYTES = 16 * 1024;

/** Maximum open connections. Each uses about 20 kB, so a flood fits the container's memory. The proxy opens fewer. */
export const MAX_CONNECTIONS = 4_000;

/** Above this number, each new connection closes an older one. The other 500 are for connections that close slowly. */
const SOFT_MAX_CONNECTIONS = MAX_CONNECTIONS - 500;

/** Timeouts in milliseconds. The headers timeout also applies to a connection that has sent nothing. */
export const httpLimits = {
  http: {
    headersTimeout: 10 * Second,
    // How often timeouts are checked. With Node's default of 30 s, a 10 s timeout could take up to 40 s.
    connectionsCheckingInterval: 1 * Second,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The request guard refuses requests without a Host header. Node's own response would lack our headers.
    requireHostHeader: false,
  },
  /** Time for a complete request to arrive, with headers and body. */
  requestTimeout: 15 * Second,
  /** Maximum time without traffic, before a connection's first request or in either direction during a request. */
  connectionTimeout: 35 * Second,
  /** Maximum time between two requests. Longer than load balancers' 60 s, so that the balancer closes first. */
  keepAliveTimeout: 72 * Second,
} as const;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Open connections, least recently used first. Each maps to its current request once the headers have arrived. */
    readonly connections: ReadonlyMap<Socket, Exchange | undefined>;
    readonly isShuttingDown: () => boolean;
  }
}

/** Returns whether a complete request is being processed. An ended response is just waiting to be read. */
const isResponding = (exchange: Exchange | undefined) =>
  exchange !== undefined && exchange.request.complete && !exchange.response.writableEnded;

/** Closes the oldest connection without a request in progress. */
function closeOldest({ connections }: FastifyInstance, newest: Socket): void {
  for (const [socket, exchange] of connections) {
    if (socket === newest) return;
    if (!socket.destroyed && !isResponding(exchange)) return void socket.destroy();
  }
}

/** Makes room for new connections by closing the oldest one without a full request. Disconnects pipelining clients. */
export function limitConnections(app: FastifyInstance, softMax = SOFT_MAX_CONNECTIONS): void {
  const connections = new Map<Socket, Exchange | undefined>();
  app.decorate('connections', connections);
  // In a cluster `dropMaxConnection` closes a surplus connection instead of passing it on repeatedly.
  Object.assign(app.server, { maxConnections: MAX_CONNECTIONS, dropMaxConnection: true });
  app.server.on('connection', (socket) => {
    connections.set(socket, undefined);
    socket.once('close', () => connections.delete(socket));
    if (connections.size > softMax) closeOldest(app, socket);
  });
  app.server.prependListener('request', (request, response) => {
    // Re-insert at the end, so a connection with a new request counts as new.
    connections.delete(request.socket);
    connections.set(request.socket, { request, response });
  });
  // Node's own refusal of an Expect header would lack our headers.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.addHook('onRequest', (request, reply, done) => {
    // A pipelined request waits for an earlier response. Thousands may arrive in one read, and each uses memory.
    if (reply.raw.socket === null) request.raw.socket.destroy();
    else done();
  });
  // Release each request after its response. Otherwise it would stay in memory until the connection's next request,
  // which makes a page take 20% longer.
  app.addHook('onResponse', ({ raw }, reply, done) => {
    if (connections.get(raw.socket)?.response === reply.raw) connections.set(raw.socket, undefined);
    done();
  });
}

const statusByCode: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/** Refuses input that can't be parsed and closes the connection, after responding to any earlier request. */
export function respondToMalformedRequest(
  { connections }: FastifyInstance,
  socket: Socket,
  code: string,
  headers: Readonly<Record<string, string>>,
): void {
  // Each read would restart the connection's timeout, even if the client never reads its response.
  socket.pause();
  const { request, response } = connections.get(socket) ?? {};
  if (response && !response.writableFinished && (request?.complete || response.headersSent)) {
    if (!response.headersSent) response.setHeader('connection', 'close');
    response.once('finish', () => socket.destroySoon());
    return;
  }

  if (socket.writable) {
    const lines = Object.entries({ ...headers, 'content-length': '0', connection: 'close' });
    socket.write(
      `HTTP/1.1 ${statusByCode[code] ?? '400 Bad Request'}\r\n` +
        `${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    );
  }
  // `end` would wait for the client to close its side.
  socket.destroySoon();
}

/** Time for requests in flight, in milliseconds. The rest of the shutdown timeout is for closing the pools. */
const DRAIN_TIME = 20 * Second;

/** Milliseconds after which a connection that has sent no request is treated as a preconnect. */
const ARRIVAL_TIME = 1 * Second;

const CHECK_INTERVAL = 0.1 * Second;

/** Maximum number of event loop turns to wait for a quiet one. There may be none during a flood. */
const MAX_TURNS = 1_000;

/** A turn shorter than this, in milliseconds, is considered quiet. */
const QUIET_TURN = 0.5;

/** Waits until Node has emptied the kernel's accept queue. A closing server would reset the connections in it. */
async function drainAcceptQueue({ server }: FastifyInstance): Promise<void> {
  let accepted = 0;
  const count = () => (accepted += 1);
  server.on('connection', count);
  // The current turn might not poll for connections again.
  await setImmediate();

  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const [before, startedAt] = [accepted, performance.now()];
    await setImmediate();
    if (accepted === before && performance.now() - startedAt < QUIET_TURN) break;
  }
  server.off('connection', count);
}

/** Drains connections on close. Each open connection gets the response to its request and is then closed. */
export function drainOnClose(app: FastifyInstance): void {
  let checks: NodeJS.Timeout | undefined;

  const closeUnused = (elapsed: number) => {
    app.server.closeIdleConnections();
    if (elapsed > DRAIN_TIME) app.server.closeAllConnections();
    if (elapsed > ARRIVAL_TIME) {
      for (const socket of app.connections.keys()) if (socket.bytesRead === 0) socket.destroy();
    }
  };

  app.decorate('isShuttingDown', () => checks !== undefined);
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (checks) reply.header('connection', 'close');
    done();
  });
  app.addHook('preClose', async () => {
    const startedAt = performance.now();
    checks = setInterval(() => closeUnused(performance.now() - startedAt), CHECK_INTERVAL);
    await drainAcceptQueue(app);
    app.server.close();
  });
  app.addHook('onClose', async () => clearInterval(checks));
}
