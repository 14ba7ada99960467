/*
 * Own code because of an attack: 4,200 half-sent requests of one address, against which Node's `maxConnections` turns
 * new visitors away instead of old connections (row 75 in `tests/faults/hostile-connections.test.ts`).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import fastifyPlugin from 'fastify-plugin';
import { MAX_CONNECTIONS } from './server-limits.ts';

/** Beyond this many, each new connection closes another; the rest is for those that close slowly. */
const CROWDED = MAX_CONNECTIONS - 500;

/** A request whose response isn't all handed to the kernel yet. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * The server's connections, the one without a new request for the longest first, with the request that is under way
 * once its headers have arrived.
 */
type Connections = ReadonlyMap<Socket, Exchange | undefined>;

declare module 'fastify' {
  interface FastifyInstance {
    readonly connections: Connections;
  }
}

/** Whether a complete request waits for its response; one that is made waits for its reader alone. */
const isResponding = (exchange: Exchange | undefined) =>
  exchange !== undefined && exchange.request.complete && !exchange.response.writableEnded;

/** Closes the first connection on which nobody waits for a response to be made. */
function closeOldest(connections: Connections, newest: Socket): void {
  for (const [socket, exchange] of connections) {
    if (socket === newest) return;
    if (!socket.destroyed && !isResponding(exchange)) return void socket.destroy();
  }
}

/** The response that a connection still waits for, where it is due or has begun: nothing may be written before it. */
export function findDueResponse(connections: Connections, socket: Socket): ServerResponse | undefined {
  const exchange = connections.get(socket);
  if (!exchange) return undefined;
  const { request, response } = exchange;
  const isDue = request.complete || response.headersSent;

  return isDue && !response.writableFinished ? response : undefined;
}

interface ConnectionLimitOptions {
  readonly crowded?: number;
}

/**
 * Keeps room for new connections: when there are many, each new one closes the oldest that has sent
 * nothing, half a request, or nothing more after its response, whether that is read or not. One address
 * can't close the site with half-sent requests or unread responses; a complete request gets its response made. A client
 * that sends a request before it has the response to the one before, as no browser and no proxy does, is disconnected.
 */
export const connectionLimit = fastifyPlugin<ConnectionLimitOptions>(
  async (app, { crowded = CROWDED }) => {
    const connections = new Map<Socket, Exchange | undefined>();
    app.server.on('connection', (socket) => {
      connections.set(socket, undefined);
      socket.once('close', () => connections.delete(socket));
      if (connections.size > crowded) closeOldest(connections, socket);
    });
    app.server.prependListener('request', (request, response) => {
      // At the end: who asks for something is no older than who has just come.
      connections.delete(request.socket);
      connections.set(request.socket, { request, response });
    });
    app.addHook('onRequest', (request, reply, done) => {
      // Pipelined: its response waits for another. Thousands arrive in one read, and each would use memory at once.
      if (reply.raw.socket === null) request.raw.socket.destroy();
      else done();
    });
    // What a connection keeps between requests outlives many collections of garbage: a fifth of a page's time.
    app.addHook('onResponse', ({ raw }, reply, done) => {
      if (connections.get(raw.socket)?.response === reply.raw) connections.set(raw.socket, undefined);
      done();
    });
    app.decorate('connections', connections);
  },
  { name: 'connection-limit' },
);
