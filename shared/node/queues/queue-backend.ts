import type { Logger } from '../logging/logger.ts';
import type { QueueBackend } from './job-queue.ts';

/**
 * Decides where jobs run: on Redis when there is one, else on PostgreSQL. What the other place needs
 * isn't loaded.
 */
export async function createQueueBackend(options: {
  readonly redisUrl: string | undefined;
  readonly databaseUrl: string;
  readonly logger: Logger;
}): Promise<QueueBackend> {
  if (options.redisUrl) {
    const { createRedisBackend } = await import('./redis-backend.ts');

    return createRedisBackend(options.redisUrl, options.logger);
  }
  const { createPostgresQueueBackend } = await import('./postgres-backend.ts');

  return createPostgresQueueBackend(options.databaseUrl, options.logger);
}
