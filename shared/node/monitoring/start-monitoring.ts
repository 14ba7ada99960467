import { hostname } from 'node:os';
import { collectDefaultMetrics, type Registry } from 'prom-client';
import { Second } from '../../time.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import type { Logger } from '../logging/logger.ts';
import { withTimeout } from '../process/with-timeout.ts';
import { createSiteStateReader, createDatabaseGauges } from './read-site-state.ts';
import { createResponsePromise } from '../response-promise/response-promise.ts';

/** PostgreSQL counts as down if it doesn't respond within this time. */
const TIMEOUT = 3 * Second;

interface Monitored {
  readonly service: 'web' | 'worker';
  readonly config: Pick<Config, 'metrics' | 'followUp'>;
  readonly registry: Registry;
  readonly database: Database;
  readonly logger: Logger;
}

function makeMetricsReader({ config, registry, database }: Monitored) {
  const readSiteState = createSiteStateReader({ database, promise: createResponsePromise(config.followUp) });

  return async () => {
    // A gauge shows failures and timeouts. The code that uses PostgreSQL logs the reason.
    const gauges = createDatabaseGauges(await withTimeout(readSiteState, TIMEOUT).catch(() => undefined));

    return `${await registry.metrics()}\n${await gauges.metrics()}`;
  };
}

function listHostNames(service: string, host: string): readonly string[] {
  const isEveryAddress = ['0.0.0.0', '::'].includes(host);

  return [service, hostname(), ...(isEveryAddress ? [] : [host])];
}

async function openMetricsServer(
  monitored: Monitored,
  address: { readonly host: string; readonly port: number },
): Promise<() => Promise<void>> {
  // Import on demand, because a worker without metrics doesn't need Fastify.
  const { buildMetricsServer } = await import('./metrics-server.ts');
  collectDefaultMetrics({ register: monitored.registry, prefix: 'site_' });
  const app = buildMetricsServer({
    readMetrics: makeMetricsReader(monitored),
    hostNames: listHostNames(monitored.service, address.host),
  });
  await app.listen(address);

  return () => app.close();
}

/** Starts the metrics server if METRICS_PORT is set, and returns a function that closes it. Only logs failures. */
export async function startMonitoring(monitored: Monitored): Promise<() => Promise<void>> {
  const { host, port } = monitored.config.metrics;
  if (port === undefined) return async () => undefined;

  try {
    return await openMetricsServer(monitored, { host, port });
  } catch (error) {
    monitored.logger.error(
      { err: error, host, port, alert: 'metrics-off' },
      'The metrics server could not be started, so no metrics are available.',
    );

    return async () => undefined;
  }
}
