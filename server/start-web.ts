import { startAlertRecorder } from '../shared/node/alerts/alert-recorder.ts';
import type { Config } from '../shared/node/config/config.ts';
import { reportReady } from '../shared/node/content/build-switcher.ts';
import { createDatabase } from '../shared/node/database/database.ts';
import { createDeliveryScheduler } from '../shared/node/deliveries/delivery-scheduler.ts';
import { getErrorCode, SiteError } from '../shared/node/logging/describe-error.ts';
import type { Logger } from '../shared/node/logging/logger.ts';
import { createWebMetrics } from '../shared/node/monitoring/site-metrics.ts';
import { startMonitoring } from '../shared/node/monitoring/start-monitoring.ts';
import { closeGracefully } from '../shared/node/process/process.ts';
import { createProducerConnection } from '../shared/node/redis/connections.ts';
import { connectQueues, type Queues } from '../shared/node/queues/queues.ts';
import { Second } from '../shared/time.ts';
import { buildApp, type WebFrontEnd } from './build-app.ts';
import { createLoadMonitor, type LoadMonitor } from './pages/page-renderer.ts';

/** How many milliseconds a request waits for Redis to count it. After that, the process uses its own counts. */
const LIMITS_TIMEOUT = 0.5 * Second;

/** Delay in milliseconds. By then the first page has been sent, and nobody can complete a form that quickly. */
const PRELOAD_QUEUES_AFTER = 1 * Second;

/** Time after a signal to finish requests in flight and close the pools, in milliseconds. */
const SHUTDOWN_DEADLINE = 25 * Second;

async function preloadQueues(queues: Queues, logger: Logger): Promise<void> {
  await queues
    .preload()
    .catch((error: unknown) => logger.warn({ err: error }, 'The queues could not be loaded.'));
}

function createServices(config: Config, logger: Logger) {
  const database = createDatabase(config.databaseUrl, 'web');
  const queues = config.redisUrl ? connectQueues(config.redisUrl, logger) : undefined;

  return {
    database,
    // A worker sends the alerts, because web has neither the mail server's password nor outbound access.
    alerts: startAlertRecorder(database, logger),
    redis: config.redisUrl
      ? createProducerConnection(config.redisUrl, logger, LIMITS_TIMEOUT)
      : undefined,
    queues,
    scheduler: queues && createDeliveryScheduler(queues),
    metrics: createWebMetrics(),
    logger,
  };
}

/**
 * Creates the application with its database, Redis and queues.
 * @param load measures the event loop. Tests replace it, because their own work delays the loop
 */
export async function createWeb(config: Config, logger: Logger, front: WebFrontEnd, load = createLoadMonitor()) {
  const services = createServices(config, logger);
  const { database, queues } = services;
  const app = await buildApp(config, services, front, load);
  if (config.web.insightsPassword === undefined) {
    logger.warn('INSIGHTS_PASSWORD is not set: the insights listing is open to everyone.');
  }
  let stopMonitoring = async (): Promise<void> => undefined;

  return {
    app,
    start: async (): Promise<void> => {
      const { registry } = services.metrics;
      stopMonitoring = await startMonitoring({ service: 'web', config, registry, database, logger });
      const { host, port } = config.web;
      await app.listen({ host, port }).catch((error: unknown) => {
        throw new SiteError(`Cannot listen on HOST ${host} and PORT ${port} (${getErrorCode(error)}).`);
      });
      if (queues) setTimeout(() => void preloadQueues(queues, logger), PRELOAD_QUEUES_AFTER).unref();
    },
    /** Closes everything, in this order. */
    onClose: [
      () => app.close(),
      () => stopMonitoring(),
      async () => services.scheduler?.close(),
      async () => queues?.close(),
      services.alerts.stop,
      async () => services.redis?.disconnect(),
      () => database.destroy(),
    ],
  };
}

/** Starts the web process. A signal closes it gracefully. */
export async function startWeb(config: Config, logger: Logger, front: WebFrontEnd, load?: LoadMonitor): Promise<void> {
  const { start, onClose } = await createWeb(config, logger, front, load);
  closeGracefully({ logger, deadlineMs: SHUTDOWN_DEADLINE, onClose });
  await start();
  reportReady();
}
