import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { MAX_CONNECTIONS } from './limits.ts';

/** Beyond so many each new connection ends another. What is left is for those that end slowly. */
const CROWDED = MAX_CONNECTIONS - 500;

/** The latest request of a connection, which may be under way. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The connections of the server, the oldest first, with their latest request once its headers are there. */
export type Connections = ReadonlyMap<Socket, Exchange | undefined>;

/** Whether a whole request has come that isn't answered yet. */
const isAnswering = (exchange: Exchange | undefined) =>
  exchange !== undefined && exchange.request.complete && !exchange.response.writableFinished;

/** Ends the oldest connection that nobody waits on for an answer. */
function endOldest(connections: Connections, newest: Socket): void {
  for (const [socket, exchange] of connections) {
    if (socket === newest) return;
    if (!socket.destroyed && !isAnswering(exchange)) return void socket.destroy();
  }
}

/**
 * Keeps room for new connections: when there are many, each new one ends the oldest that has sent
 * nothing, half a request, or nothing more after its answer. One address can't close the site with
 * half-sent requests; a request that has arrived is answered.
 */
export function registerConnectionLimit({ server }: FastifyInstance): Connections {
  const connections = new Map<Socket, Exchange | undefined>();
  server.on('connection', (socket) => {
    connections.set(socket, undefined);
    socket.once('close', () => connections.delete(socket));
    if (connections.size > CROWDED) endOldest(connections, socket);
  });
  server.prependListener('request', (request, response) => {
    connections.set(request.socket, { request, response });
  });

  return connections;
}
