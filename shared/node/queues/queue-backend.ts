import type { Logger } from '../logger.ts';
import type { QueueBackend } from './job-queue.ts';
import { createPostgresQueueBackend } from './postgres-backend.ts';
import { createRedisBackend } from './redis-backend.ts';

/** Decides where jobs run: on Redis when there is one, else on PostgreSQL. */
export function createQueueBackend(options: {
  readonly redisUrl: string | undefined;
  readonly databaseUrl: string;
  readonly logger: Logger;
}): QueueBackend {
  return options.redisUrl
    ? createRedisBackend(options.redisUrl, options.logger)
    : createPostgresQueueBackend(options.databaseUrl, options.logger);
}
