import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { Second } from '../../shared/time.ts';
import type { Connections } from './connection-limit.ts';

/** Time for requests to arrive and be answered; what is left of the shutdown is for the pools. */
const DRAIN_TIME = 20 * Second;

/** A connection that was opened has sent its request by then, or was opened to be kept. */
const ARRIVAL_TIME = 1 * Second;

const CHECK_INTERVAL = 0.1 * Second;

/** Turns of Node's loop waited for a quiet one; a flood may never leave one. */
const MAX_TURNS = 1_000;

/** A turn shorter than this, in milliseconds, had little to do after looking for connections. */
const QUIET_TURN = 0.5;

/**
 * Resolves right after Node has looked for connections that the system has accepted, and found none:
 * those it hasn't taken over are reset when the server closes, and a proxy may not repeat a post.
 * Node takes over one a turn.
 */
async function waitUntilNoneWaits({ server }: FastifyInstance): Promise<void> {
  let taken = 0;
  const count = () => (taken += 1);
  server.on('connection', count);
  // What is left of this turn may not look again.
  await setImmediate();

  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const [before, startedAt] = [taken, performance.now()];
    await setImmediate();
    if (taken === before && performance.now() - startedAt < QUIET_TURN) break;
  }
  server.off('connection', count);
}

/**
 * Ends connections in order once the application closes: nothing new is accepted, a request that
 * is under way or comes on an open connection is answered as ever, its connection ends with it.
 * Node by itself would wait for each of them as long as it is kept alive.
 * @returns whether the end has begun
 */
export function registerGracefulShutdown(app: FastifyInstance, connections: Connections): () => boolean {
  let checks: NodeJS.Timeout | undefined;

  const closeUnused = (elapsed: number) => {
    app.server.closeIdleConnections();
    if (elapsed > DRAIN_TIME) app.server.closeAllConnections();
    if (elapsed > ARRIVAL_TIME) {
      for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy();
    }
  };

  app.addHook('onSend', async (_request, reply) => {
    if (checks) reply.header('connection', 'close');
  });
  app.addHook('preClose', async () => {
    const startedAt = performance.now();
    checks = setInterval(() => closeUnused(performance.now() - startedAt), CHECK_INTERVAL);
    await waitUntilNoneWaits(app);
    app.server.close();
  });
  app.addHook('onClose', async () => clearInterval(checks));

  return () => checks !== undefined;
}
