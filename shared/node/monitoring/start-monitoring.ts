import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { collectDefaultMetrics, type Registry } from 'prom-client';
import { Second } from '../../time.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import type { Logger } from '../logging/logger.ts';
import type { Queues } from '../queues/queues.ts';
import { createDatabaseGauges } from './database-gauges.ts';
import { createSiteStateReader } from './read-site-state.ts';

/** PostgreSQL and Redis have so long for an answer; after it they count as away. */
const PATIENCE = 3 * Second;

export interface Monitored {
  /** Name of the service in Compose and Swarm. */
  readonly service: 'web' | 'worker';
  readonly config: Pick<Config, 'metrics' | 'followUp'>;
  /** The process's own counters. */
  readonly registry: Registry;
  readonly database: Database;
  /** Undefined without Redis. */
  readonly queues: Queues | undefined;
  readonly logger: Logger;
}

/** What `ask` resolves to, or undefined when it fails or takes too long. */
async function askInTime<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
  const answered = new AbortController();

  try {
    return await Promise.race([ask(), wait(PATIENCE, undefined, { signal: answered.signal })]);
  } catch {
    // Told by the gauge that says so; whoever needs the other side logs why.
    return undefined;
  } finally {
    answered.abort();
  }
}

function makeMetricsReader({ config, registry, database, queues }: Monitored) {
  const readFigures = createSiteStateReader({ database, followUp: config.followUp });
  const isRedisUp = async () =>
    queues && ((await askInTime(() => queues.ping().then(() => true))) ?? false);

  return async () => {
    const [figures, redis] = await Promise.all([askInTime(readFigures), isRedisUp()]);
    const gauges = createDatabaseGauges({ figures, isRedisUp: redis });

    return `${await registry.metrics()}\n${await gauges.metrics()}`;
  };
}

/** Names of the private listener, also Swarm's for all containers of a service. */
function listHostNames(service: string, host: string): readonly string[] {
  const isEveryAddress = ['0.0.0.0', '::'].includes(host);

  return [service, `tasks.${service}`, hostname(), ...(isEveryAddress ? [] : [host])];
}

async function openListener(
  monitored: Monitored,
  address: { readonly host: string; readonly port: number },
): Promise<() => Promise<void>> {
  // Loaded only here: the board brings a hundred files that a process without metrics needn't have.
  const { buildMetricsServer } = await import('./metrics-server.ts');
  collectDefaultMetrics({ register: monitored.registry, prefix: 'site_' });
  const app = await buildMetricsServer({
    readMetrics: makeMetricsReader(monitored),
    queues: monitored.queues,
    hostNames: listHostNames(monitored.service, address.host),
  });
  await app.listen(address);

  return () => app.close();
}

/**
 * Opens the private listener where one is configured. One that can't be opened is reported and
 * done without: metrics never take the site down.
 * @returns what closes it
 */
export async function startMonitoring(monitored: Monitored): Promise<() => Promise<void>> {
  const { host, port } = monitored.config.metrics;
  if (port === undefined) return async () => undefined;

  try {
    return await openListener(monitored, { host, port });
  } catch (error) {
    monitored.logger.error(
      { err: error, host, port, alert: 'metrics-off' },
      'The private listener can’t be opened; there are no metrics.',
    );

    return async () => undefined;
  }
}
