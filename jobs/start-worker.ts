import { setTimeout as wait } from 'node:timers/promises';
import { deliveryKinds } from '../shared/deliveries/delivery.ts';
import type { Config } from '../shared/node/config/config.ts';
import { createDatabase, isWriteRefused, type Database } from '../shared/node/database/database.ts';
import { createDeliveryScheduler } from '../shared/node/deliveries/delivery-scheduler.ts';
import { awaitProvider, resumeQueuesAfterStart } from '../shared/node/deliveries/delivery-pauses.ts';
import { readHold } from '../shared/node/deliveries/delivery-hold.ts';
import { createWorkerMetrics } from '../shared/node/monitoring/site-metrics.ts';
import { startMonitoring } from '../shared/node/monitoring/start-monitoring.ts';
import type { Logger } from '../shared/node/logging/logger.ts';
import { closeGracefully } from '../shared/node/process/process.ts';
import type { QueueBackend } from '../shared/node/queues/job-queue.ts';
import { createQueueBackend } from '../shared/node/queues/queue-backend.ts';
import { readSchemaState, type SchemaState } from '../shared/node/database/schema.ts';
import { startDurabilityCheck } from '../shared/node/database/durability-check.ts';
import { Second } from '../shared/time.ts';
import { startAlerts } from '../shared/node/alerts/start-alerts.ts';
import { createCrmExportHandler } from './crm-export/export-to-crm.ts';
import { processDelivery, type DeliveryServices } from './deliveries/process-delivery.ts';
import { makeSweep } from './deliveries/sweep-deliveries.ts';
import { makeDigest } from './digest/send-digest.ts';
import { createFollowUpHandler } from './follow-up/send-follow-up.ts';
import { makeHeldMail } from './held-requests/send-held-mail.ts';
import { beat } from './health/heartbeat.ts';
import { createMailer } from '../shared/node/mail/create-mailer.ts';
import { createConfirmationHandler } from './newsletter/send-confirmation.ts';
import { createOutboundClient } from '../shared/node/outbound/outbound-client.ts';
import { inspectErasureLog } from '../shared/node/erasure/erasure-log.ts';
import { startRetention } from './retention/start-retention.ts';
import { getPaces, type Paces, type Timings } from '../shared/node/config/timings.ts';
import { createDatabaseCheck } from './health/database-check.ts';
import { startWatchdog } from './health/watchdog.ts';
import { createRedisCheck } from './health/redis-check.ts';

/** Deliveries of one kind carried out at the same time by one worker. */
const CONCURRENCY = 5;

const schemaFaults: Readonly<Record<Exclude<SchemaState, 'current'>, string>> = {
  behind: 'Waiting for the migrations of the database.',
  'too-new': 'The database is of a version more than one step newer: this worker does nothing.',
};

/** Waits for PostgreSQL and for its migrations, as long as it takes. */
async function waitForSchema(database: Database, logger: Logger): Promise<void> {
  for (let isTold = false; ; isTold = true) {
    try {
      const state = await readSchemaState(database);
      if (state === 'current') return;
      if (!isTold) logger.warn({ schema: state }, schemaFaults[state]);
    } catch (error) {
      if (!isTold) logger.warn({ err: error }, 'Waiting for the database.');
    }
    await wait(1 * Second);
  }
}

/** Says so when nothing will be sent: an operator may have forgotten it. */
async function logHold(config: Config, database: Database, logger: Logger): Promise<void> {
  const hold = await readHold(database);
  if (!hold) return;
  const { status: erasureList } = await inspectErasureLog(database, config);
  logger.error(
    { ...hold, erasureList, alert: 'deliveries-held' },
    'Nothing is sent until an operator releases it: ops deliveries release.',
  );
}

/** What a restart or patience mends is a warning; what wants a person is an alert. */
function reportFailure(error: unknown, logger: Logger): void {
  if (isWriteRefused(error)) {
    logger.error(
      { err: error, alert: 'database-refuses-writes' },
      'PostgreSQL is read-only or full: nothing can be stored or sent.',
    );
  } else logger.warn({ err: error }, 'A regular task failed and is tried again.');
}

/** Does `task` every `interval` until stopped; the stop waits for one that runs. */
function runRegularly(
  task: (signal: AbortSignal) => Promise<void>,
  interval: number,
  logger: Logger,
) {
  const stop = new AbortController();
  const loop = async () => {
    while (!stop.signal.aborted) {
      try {
        await task(stop.signal);
      } catch (error) {
        reportFailure(error, logger);
      }
      await wait(interval, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  };
  const ended = loop();

  return async () => {
    stop.abort();
    await ended;
  };
}

function makeServices(config: Config, database: Database, timings: Timings, logger: Logger) {
  if (!config.mail.smtpUrl) {
    logger.warn('SMTP_URL is not set: mails are not sent, they are written as files into MAIL_DIR.');
  }
  const mailer = createMailer(config, timings.smtp, logger);
  const outbound = createOutboundClient(config.outboundAllow);
  const linkSettings = {
    siteName: config.site.name,
    publicUrl: config.site.publicUrl,
    linkSecrets: config.linkSecrets,
  };
  const followUpSettings = {
    ...linkSettings,
    sales: config.mail.sales,
    timeZone: config.mail.timeZone,
    dueAfter: config.followUp.dueAfter,
  };
  const services: DeliveryServices = {
    database,
    timings,
    logger,
    effects: {
      'follow-up': createFollowUpHandler(database, mailer, followUpSettings),
      'crm-export': createCrmExportHandler(database, config.crm, outbound),
      newsletter: createConfirmationHandler(database, mailer, linkSettings),
    },
  };
  const sendDigest = makeDigest(
    { database, mailer, timings, logger },
    { ...followUpSettings, digestAt: config.mail.digestAt },
  );

  const sendHeldMail = makeHeldMail({ database, mailer, timings, logger }, followUpSettings);

  return { services, sendDigest, sendHeldMail, mailer, outbound };
}

/** One for each kind of delivery. */
function startWorkers(backend: QueueBackend, services: DeliveryServices, paces: Paces) {
  return Promise.all(
    deliveryKinds.map((kind) =>
      backend.startWorker(kind, (data) => processDelivery(services, data), {
        concurrency: CONCURRENCY,
        pace: paces[kind],
        ...services.timings.queue,
      }),
    ),
  );
}

/** Ends and begins the pauses that follow from the settings, which may differ from those of the last start. */
async function applySettings({ crm }: Config, database: Database): Promise<void> {
  await resumeQueuesAfterStart(database);
  if (crm.provider === 'none') await awaitProvider(database, 'crm-export');
}

/** Runs the worker: one BullMQ worker per kind of delivery, and the sweep. */
export async function startWorker(config: Config, logger: Logger, timings: Timings): Promise<void> {
  const database = createDatabase(config.databaseUrl, 'worker');
  const alerts = startAlerts(config, { database, logger, timings });
  const databaseWatch = createDatabaseCheck(database, timings.alerts.databaseAwayAfter, logger);
  const stopDatabaseWatch = runRegularly(databaseWatch, timings.sweep, logger);
  const { services, sendDigest, sendHeldMail, mailer, outbound } = makeServices(config, database, timings, logger);
  const metrics = createWorkerMetrics();
  const backend = await createQueueBackend({ ...config, logger });
  const stopMonitoring = await startMonitoring({
    service: 'worker',
    config,
    registry: metrics.registry,
    database,
    backend,
    logger,
  });
  // A start that waits for the database as long as it takes doesn't hang.
  const signs = setInterval(() => void beat().catch(() => undefined), timings.sweep);
  await beat();
  await waitForSchema(database, logger);
  await logHold(config, database, logger);
  await applySettings(config, database);
  const stopWatch = startDurabilityCheck(database, logger);
  const stopPrivacy = await startRetention(config, logger, timings.retention);
  clearInterval(signs);

  const scheduler = createDeliveryScheduler(backend);
  const paces = getPaces(timings, config.mail);
  const workers = await startWorkers(backend, { ...services, metrics }, paces);
  const sweep = makeSweep({ ...services, metrics, sweepMetrics: metrics, scheduler, paces });
  const watch = startWatchdog(timings.hang, logger, alerts.settle);
  const stops = [
    (signal: AbortSignal) => sweep(signal).finally(watch.noteTurn).finally(beat),
    sendDigest,
    sendHeldMail,
    ...(config.redisUrl ? [createRedisCheck(config.redisUrl, logger)] : []),
  ].map((task) => runRegularly(task, timings.sweep, logger));

  closeGracefully({
    logger,
    deadlineMs: timings.shutdown,
    onClose: [
      async () => watch.stop(),
      () =>
        Promise.all([
          stopPrivacy(),
          stopDatabaseWatch(),
          ...stops.map((stop) => stop()),
          ...workers.map((worker) => worker.close()),
        ]),
      async () => mailer.close(),
      outbound.close,
      stopWatch,
      stopMonitoring,
      scheduler.close,
      backend.close,
      alerts.stop,
      () => database.destroy(),
    ],
  });
  logger.info({ queue: config.redisUrl ? 'redis' : 'postgres' }, 'The worker is ready.');
}
