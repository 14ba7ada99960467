import { deliveryKinds } from '../shared/deliveries/delivery.ts';
import { startAlerts } from '../shared/node/alerts/start-alerts.ts';
import type { Config } from '../shared/node/config/config.ts';
import { getRateLimits, type Timings } from '../shared/node/config/timings.ts';
import { createDatabase, isWriteRefused, type Database } from '../shared/node/database/database.ts';
import { startDurabilityCheck } from '../shared/node/database/durability-check.ts';
import { createDeliveryScheduler } from '../shared/node/deliveries/delivery-scheduler.ts';
import type { Logger } from '../shared/node/logging/logger.ts';
import { createMailer } from '../shared/node/mail/create-mailer.ts';
import type { Mailer } from '../shared/node/mail/mailer.ts';
import { createWorkerMetrics } from '../shared/node/monitoring/site-metrics.ts';
import { startMonitoring } from '../shared/node/monitoring/start-monitoring.ts';
import { createOutboundClient, type OutboundClient } from '../shared/node/outbound/outbound-client.ts';
import { closeGracefully } from '../shared/node/process/process.ts';
import { runPeriodically } from '../shared/node/process/run-periodically.ts';
import { connectQueues, type Queues } from '../shared/node/queues/queues.ts';
import { createCrmExportHandler } from './crm-export/export-to-crm.ts';
import { createClaimLimiters } from './deliveries/claim-limiter.ts';
import type { DeliveryServices } from './deliveries/delivery-handler.ts';
import { CONCURRENCY, processDelivery } from './deliveries/process-delivery.ts';
import { makeDueRunner, type DueServices } from './deliveries/run-due.ts';
import { makeSweep } from './deliveries/sweep-deliveries.ts';
import { makeDigest } from './digest/send-digest.ts';
import { createFollowUpHandler } from './follow-up/send-follow-up.ts';
import { createDatabaseCheck } from './health/database-check.ts';
import { startHeartbeat } from './health/heartbeat.ts';
import { createRedisCheck } from './health/redis-check.ts';
import { makeHeldMail } from './held-requests/send-held-mail.ts';
import { createConfirmationHandler } from './newsletter/send-confirmation.ts';
import { prepareStart } from './prepare-start.ts';
import { startRetention } from './retention/start-retention.ts';

/** What a periodic task fails of is a warning where it passes by itself, else an alert. */
function reportTaskFailure(error: unknown, logger: Logger): void {
  if (isWriteRefused(error)) {
    logger.error(
      { err: error, alert: 'database-refuses-writes' },
      'PostgreSQL is read-only or full: nothing can be stored or sent.',
    );
  } else logger.warn({ err: error }, 'A periodic task failed and is retried.');
}

/** What mails say of the site and of sales. */
const getMailSettings = ({ site, mail, followUp, linkSecrets }: Config) => ({
  siteName: site.name,
  publicUrl: site.publicUrl,
  linkSecrets,
  sales: mail.sales,
  timeZone: mail.timeZone,
  dueAfter: followUp.dueAfter,
});

/** The handler of each kind of delivery. */
function createHandlers(
  config: Config,
  database: Database,
  mailer: Mailer,
  outbound: OutboundClient,
): DeliveryServices['handlers'] {
  const settings = getMailSettings(config);

  return {
    'follow-up': createFollowUpHandler(database, mailer, settings),
    'crm-export': createCrmExportHandler(database, config.crm, outbound),
    newsletter: createConfirmationHandler(database, mailer, settings),
  };
}

/** One BullMQ worker for each kind of delivery; `signal` ends their waits for the rate limit. */
async function startQueueWorkers(
  queues: Queues,
  config: Config,
  services: DueServices,
  signal: AbortSignal,
) {
  const limits = getRateLimits(services.timings, config.mail);

  return Promise.all(
    deliveryKinds.map((kind) => {
      const { [kind]: limiter } = services.limiters;

      return queues.startWorker(
        kind,
        (data) => processDelivery(services, data, (claim) => limiter(claim, signal)),
        { concurrency: CONCURRENCY, limiter: limits[kind], ...services.timings.queue },
      );
    }),
  );
}

/** What a worker does again and again beside its sweep. */
function listTasks(config: Config, services: DueServices, mailer: Mailer) {
  const { logger, timings } = services;
  const mailServices = { ...services, mailer };
  const mailSettings = { ...getMailSettings(config), digestAt: config.mail.digestAt };
  const onError = (error: unknown) => reportTaskFailure(error, logger);

  return [
    { task: makeDigest(mailServices, mailSettings), intervalMs: timings.sweep },
    { task: makeHeldMail(mailServices, mailSettings), intervalMs: timings.sweep },
    config.redisUrl
      ? { task: createRedisCheck(config.redisUrl, logger), intervalMs: timings.sweep }
      : { task: makeDueRunner(services, onError), intervalMs: timings.due },
  ];
}

/**
 * Runs the worker: with Redis a BullMQ worker per kind of delivery, without it the due-runner, and the
 * periodic tasks.
 */
export async function startWorker(config: Config, logger: Logger, timings: Timings): Promise<void> {
  const database = createDatabase(config.databaseUrl, 'worker');
  const alerts = startAlerts(config, { database, logger, timings });
  const run = (task: (signal: AbortSignal) => Promise<void>, intervalMs = timings.sweep) =>
    runPeriodically({ run: task, intervalMs, onError: (error) => reportTaskFailure(error, logger) });
  const stopDatabaseCheck = run(createDatabaseCheck(database, timings.alerts.databaseAwayAfter, logger));
  const heartbeat = startHeartbeat(timings.hang, logger, alerts.flush);
  const metrics = createWorkerMetrics();
  const { registry } = metrics;
  const queues = config.redisUrl ? connectQueues(config.redisUrl, logger) : undefined;
  const monitored = { service: 'worker', config, registry, database, queues, logger } as const;
  const stopMonitoring = await startMonitoring(monitored);

  // A start that waits for the database as long as it takes doesn't hang.
  const stopStartBeats = run(heartbeat.beat);
  await prepareStart(config, database, logger);
  const stopDurabilityCheck = startDurabilityCheck(database, logger);
  const stopRetention = await startRetention(config, logger, timings.retention);
  await stopStartBeats();

  const mailer = createMailer(config, timings.smtp, logger);
  const outbound = createOutboundClient(config.outboundAllow);
  const limiters = createClaimLimiters(getRateLimits(timings, config.mail));
  const handlers = createHandlers(config, database, mailer, outbound);
  const services = { database, handlers, limiters, timings, logger, metrics, sweepMetrics: metrics };
  const scheduler = queues && createDeliveryScheduler(queues);
  const shutdown = new AbortController();
  const workers = queues ? await startQueueWorkers(queues, config, services, shutdown.signal) : [];
  const sweep = makeSweep({ ...services, scheduler });
  const stopTasks = [
    run((signal) => sweep(signal).finally(heartbeat.beat)),
    ...listTasks(config, services, mailer).map(({ task, intervalMs }) => run(task, intervalMs)),
  ];

  closeGracefully({
    logger,
    deadlineMs: timings.shutdown,
    onClose: [
      async () => heartbeat.stop(),
      async () => shutdown.abort(),
      () =>
        Promise.all([
          stopRetention(),
          stopDatabaseCheck(),
          ...stopTasks.map((stop) => stop()),
          ...workers.map((worker) => worker.close()),
        ]),
      async () => mailer.close(),
      outbound.close,
      stopDurabilityCheck,
      stopMonitoring,
      async () => scheduler?.close(),
      async () => queues?.close(),
      alerts.stop,
      () => database.destroy(),
    ],
  });
  logger.info({ queue: config.redisUrl ? 'redis' : 'none' }, 'The worker is ready.');
}
