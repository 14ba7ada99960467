/*
 * Own code because a stop under load must lose no request (row 28 in `tests/faults/web-ends.test.ts`) and must not wait
 * for connections that stay open (`tests/integration/graceful-shutdown.test.ts`).
 */
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { Second } from '../../shared/time.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether the application is closing: whoever can go elsewhere should. */
    readonly isShuttingDown: () => boolean;
  }
}

/** Milliseconds for requests to arrive and get their response; the rest of the shutdown is for the pools. */
const DRAIN_TIME = 20 * Second;

/** Milliseconds after which a new connection has sent its request, or was opened in reserve. */
const ARRIVAL_TIME = 1 * Second;

const CHECK_INTERVAL = 0.1 * Second;

/** Most turns of Node's event loop to wait for a quiet one; a flood may never leave one. */
const MAX_TURNS = 1_000;

/** A turn shorter than this, in milliseconds, had little to do after polling for connections. */
const QUIET_TURN = 0.5;

/**
 * Resolves right after Node has polled the kernel's accept queue and found it empty: connections left
 * in it are reset when the server closes, and a proxy may not repeat a post. Node accepts one a turn.
 */
async function drainAcceptQueue({ server }: FastifyInstance): Promise<void> {
  let accepted = 0;
  const count = () => (accepted += 1);
  server.on('connection', count);
  // The rest of this turn may not poll again.
  await setImmediate();

  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const [before, startedAt] = [accepted, performance.now()];
    await setImmediate();
    if (accepted === before && performance.now() - startedAt < QUIET_TURN) break;
  }
  server.off('connection', count);
}

/**
 * Drains connections once the application closes: nothing new is accepted; a request that is under
 * way or comes on an open connection gets its response, and its connection ends with it. Node by
 * itself, and so Fastify and close-with-grace, would wait for each connection as long as it is kept alive.
 */
export const gracefulShutdown = fastifyPlugin(
  async (app) => {
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
  },
  { name: 'graceful-shutdown', dependencies: ['connection-limit'] },
);
