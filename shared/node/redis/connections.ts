import { Redis } from 'ioredis';
import { Second } from '../../time.ts';
import type { Logger } from '../logging/logger.ts';

export type { Redis } from 'ioredis';

const sharedOptions = {
  connectTimeout: 5 * Second,
  keepAlive: 10 * Second,
  retryStrategy: (attempt: number) => Math.min(attempt * 200, 2 * Second),
  // After a failover the old primary responds READONLY until the connection is opened again.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
};

/** Logs once when Redis goes away or refuses, and once when it is back. */
function reportOutages(connection: Redis, logger: Logger): Redis {
  let isAway = false;
  connection.on('error', (error) => {
    if (!isAway) logger.warn({ err: error }, 'Redis is away or refuses the connection.');
    isAway = true;
  });
  connection.on('ready', () => {
    if (isAway) logger.info('Redis is back.');
    isAway = false;
  });

  return connection;
}

/** A producers' connection: commands fail at once while Redis is away, or after `commandTimeout` ms of silence. */
export function createProducerConnection(url: string, logger: Logger, commandTimeout: number): Redis {
  const connection = new Redis(url, {
    ...sharedOptions,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    socketTimeout: 2 * Second,
    commandTimeout,
  });

  return reportOutages(connection, logger);
}

/** A connection for workers: it waits for Redis as long as it takes. */
export function createWorkerConnection(url: string, logger: Logger): Redis {
  const connection = new Redis(url, {
    ...sharedOptions,
    maxRetriesPerRequest: null,
    // Longer than a worker's blocking wait; ends a connection that went silent.
    socketTimeout: 30 * Second,
  });

  return reportOutages(connection, logger);
}
