import { Redis } from 'ioredis';
import { Second } from '../../time.ts';
import type { Logger } from '../logging/logger.ts';

export type { Redis } from 'ioredis';

const sharedOptions = {
  connectTimeout: 5 * Second,
  keepAlive: 10 * Second,
  retryStrategy: (attempt: number) => Math.min(attempt * 200, 2 * Second),
  // After a failover the old primary responds with READONLY until the client reconnects.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
};

/** Logs when an outage starts and ends, once each. */
function reportOutages(connection: Redis, logger: Logger): Redis {
  let isAway = false;
  connection.on('error', (error) => {
    if (!isAway) logger.warn({ err: error }, 'Redis is unreachable or refuses the connection.');
    isAway = true;
  });
  connection.on('ready', () => {
    if (isAway) logger.info('Redis is back.');
    isAway = false;
  });

  return connection;
}

/** Creates a connection whose commands time out after `commandTimeout` ms, or fail immediately if Redis is down. */
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

/** Creates a connection for workers, which waits for Redis indefinitely. */
export function createWorkerConnection(url: string, logger: Logger): Redis {
  const connection = new Redis(url, {
    ...sharedOptions,
    maxRetriesPerRequest: null,
    // Closes an unresponsive connection. Must be longer than a worker's blocking wait.
    socketTimeout: 30 * Second,
  });

  return reportOutages(connection, logger);
}
