import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import type { Queue } from 'bullmq';
import type { FastifyInstance } from 'fastify';
import { deliveryKinds } from '../../deliveries/delivery.ts';
import type { QueueBackend } from './job-queue.ts';

/** Opens the queues when they are first looked at, and anew after a failure. */
function makeBoardQueues(backend: QueueBackend, show: (queues: BullMQAdapter[]) => void) {
  let opening: Promise<Queue[]> | undefined;
  const openAll = async () => {
    const queues = await Promise.all(deliveryKinds.map((kind) => backend.openInspectedQueue(kind)));
    show(queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: true })));

    return queues;
  };

  return {
    open: async () => {
      opening ??= openAll();
      await opening;
    },
    close: async () => {
      const closing = opening;
      opening = undefined;
      // Whoever wanted them open was told why they aren't.
      const queues = (await closing?.catch(() => undefined)) ?? [];
      await Promise.allSettled(queues.map((queue) => queue.close()));
    },
  };
}

/**
 * Serves bull-board, to look at the queues and change nothing. Job data are the ids of deliveries.
 * @param path where the board is, beginning with a slash
 */
export async function registerQueueBoard(
  app: FastifyInstance,
  backend: QueueBackend,
  path: string,
): Promise<void> {
  const serverAdapter = new FastifyAdapter().setBasePath(path);
  const board = createBullBoard({
    queues: [],
    serverAdapter,
    options: { uiConfig: { boardTitle: 'Queues' } },
  });
  const queues = makeBoardQueues(backend, (adapters) => board.replaceQueues(adapters));

  app.addHook('onRequest', async (request, reply) => {
    if (!request.url.startsWith(`${path}/api/`)) return;
    // A queue opened now would fail for ever.
    if (!backend.isReady()) {
      return reply.code(503).send({ error: 'The queues can’t be reached: is Redis away?' });
    }
    await queues.open();
  });
  app.addHook('onResponse', async (_request, reply) => {
    if (reply.statusCode >= 500) await queues.close();
  });
  app.addHook('onClose', queues.close);
  await app.register(serverAdapter.registerPlugin(), { prefix: path });
}
