import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import type { FastifyInstance } from 'fastify';
import { deliveryKinds } from '../../deliveries/delivery.ts';
import type { DeliveryQueue } from './bullmq.ts';
import type { Queues } from './queues.ts';

/** Opens the queues when the board is first used, and again after a failure. */
function makeBoardQueues(source: Queues, show: (queues: BullMQAdapter[]) => void) {
  let opening: Promise<DeliveryQueue[]> | undefined;
  const openAll = async () => {
    const queues = await Promise.all(deliveryKinds.map((kind) => source.openQueue(kind)));
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
      // The request that opened them has reported why they could not be opened.
      const queues = (await closing?.catch(() => undefined)) ?? [];
      await Promise.allSettled(queues.map((queue) => queue.close()));
    },
  };
}

/**
 * Serves bull-board, read-only. Job data are the ids of deliveries.
 * @param path where the board is, beginning with a slash
 */
export async function registerQueueBoard(
  app: FastifyInstance,
  source: Queues,
  path: string,
): Promise<void> {
  const serverAdapter = new FastifyAdapter().setBasePath(path);
  const board = createBullBoard({
    queues: [],
    serverAdapter,
    options: { uiConfig: { boardTitle: 'Queues' } },
  });
  const queues = makeBoardQueues(source, (adapters) => board.replaceQueues(adapters));

  app.addHook('onRequest', async (request, reply) => {
    if (!request.url.startsWith(`${path}/api/`)) return;
    // A queue opened now would fail for ever.
    if (!source.isReady()) {
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
