import { deliveryKinds, kindRules, mapKinds } from '../shared/deliveries/delivery.ts';
import { startAlerts } from '../shared/node/alerts/start-alerts.ts';
import type { Config } from '../shared/node/config/config.ts';
import { getRateLimits, type RateLimits, type Timings } from '../shared/node/config/timings.ts';
import { reportReady } from '../shared/node/content/build-switcher.ts';
import { createDatabase, isWriteRefused, type Database } from '../shared/node/database/database.ts';
import { createDeliveryScheduler } from '../shared/node/deliveries/delivery-scheduler.ts';
import { planHeldMail, planMorningMails, planReport } from '../shared/node/deliveries/planned-deliveries.ts';
import type { Logger } from '../shared/node/logging/logger.ts';
import { createMailer } from '../shared/node/mail/create-mailer.ts';
import type { Mailer } from '../shared/node/mail/mailer.ts';
import { createWorkerMetrics } from '../shared/node/monitoring/site-metrics.ts';
import { startMonitoring } from '../shared/node/monitoring/start-monitoring.ts';
import { createOutboundClient, type OutboundClient } from '../shared/node/outbound/outbound-client.ts';
import { closeGracefully } from '../shared/node/process/process.ts';
import { runPeriodically } from '../shared/node/process/run-periodically.ts';
import { connectQueues, type Queues } from '../shared/node/queues/queues.ts';
import { createResponsePromise } from '../shared/node/response-promise/response-promise.ts';
import { createAcknowledgmentHandler } from './acknowledgment/send-acknowledgment.ts';
import { createChatHandler } from './chat/announce-request.ts';
import { createCrmExportHandler } from './crm-export/export-to-crm.ts';
import { makeDueRunner, type DueServices, createClaimLimiter } from './deliveries/run-due.ts';
import type { DeliveryServices } from './deliveries/delivery-handler.ts';
import { processDelivery } from './deliveries/process-delivery.ts';
import { makeSweep, type SweepServices } from './deliveries/sweep-deliveries.ts';
import { createFollowUpHandler } from './follow-up/send-follow-up.ts';
import { createOutcomeHandler } from './follow-up/send-outcome.ts';
import { createDatabaseCheck } from './health/database-check.ts';
import { makeDeadMansSwitch } from './health/dead-mans-switch.ts';
import { makeSiteChecks, makeFormTrials } from './health/site-checks.ts';
import { startHeartbeat, type Heartbeat } from './health/heartbeat.ts';
import { createHeldMailHandler } from './held-requests/send-held-mail.ts';
import { getMailSettings } from './mail-settings.ts';
import { createConfirmationHandler } from './newsletter/send-confirmation.ts';
import { prepareStart } from './prepare-start.ts';
import { createReportHandler } from './report/send-report.ts';
import { eraseAgain, startRetention } from './retention/start-retention.ts';

/** Logs the failure of a periodic task. Raises an alert only if PostgreSQL refuses writes. */
function reportTaskFailure(error: unknown, logger: Logger): void {
  if (isWriteRefused(error)) {
    logger.error(
      { err: error, alert: 'database-refuses-writes' },
      'PostgreSQL is read-only or full: nothing can be stored or sent.',
    );
  } else logger.warn({ err: error }, 'A periodic task failed and will be retried.');
}

/** Separate connections, so that slow mails to visitors don't delay mails to sales. */
interface Mailers {
  readonly sales: Mailer;
  readonly visitors: Mailer;
}

function openMailers(config: Config, timings: Timings, logger: Logger): Mailers {
  const open = () => createMailer(config, timings.smtp, logger);

  return { sales: open(), visitors: open() };
}

function createHandlers(
  config: Config,
  database: Database,
  { sales, visitors }: Mailers,
  outbound: OutboundClient,
): DeliveryServices['handlers'] {
  const settings = getMailSettings(config);
  const outcome = createOutcomeHandler(database, sales, settings);

  return {
    'follow-up': createFollowUpHandler(database, sales, settings),
    outcome,
    'outcome-undone': outcome,
    'crm-export': createCrmExportHandler(database, config.crm, outbound),
    chat: createChatHandler(database, config.chat, outbound, settings),
    newsletter: createConfirmationHandler(database, visitors, settings),
    acknowledgment: createAcknowledgmentHandler(database, visitors, settings),
    'held-requests': createHeldMailHandler(database, sales, settings),
    report: createReportHandler(database, sales, settings),
  };
}

const startQueueWorkers = (queues: Queues, limits: RateLimits, services: DueServices) =>
  Promise.all(
    deliveryKinds.map((kind) =>
      queues.startWorker(kind, (data) => processDelivery(services, data), {
        concurrency: kindRules[kind].concurrency,
        limiter: limits[kind],
        ...services.timings.queue,
      }),
    ),
  );

function listPlanners(
  { mail: { reportAt }, timeZone, followUp }: Config,
  database: Database,
  { heldMailInterval }: Timings,
): SweepServices['planners'] {
  const promise = createResponsePromise(followUp);

  return [
    () => planMorningMails(database, { promise, timeZone }),
    () => planHeldMail(database, heldMailInterval),
    ...(reportAt === undefined ? [] : [() => planReport(database, { reportAt, timeZone })]),
  ];
}

function listTasks(config: Config, services: DueServices, outbound: OutboundClient) {
  const { database, logger, timings } = services;
  const { heartbeatUrl: url } = config.alerts;
  const onError = (error: unknown) => reportTaskFailure(error, logger);

  return [
    ...(url === undefined
      ? []
      : [{ task: makeDeadMansSwitch({ config, database, outbound, url, logger }), intervalMs: timings.heartbeat }]),
    ...(config.redisUrl ? [] : [{ task: makeDueRunner(services, onError), intervalMs: timings.due }]),
  ];
}

interface Connected {
  readonly config: Config;
  readonly logger: Logger;
  readonly timings: Timings;
  readonly database: Database;
  readonly queues: Queues | undefined;
  readonly metrics: ReturnType<typeof createWorkerMetrics>;
  readonly heartbeat: Heartbeat;
  /** Runs a task periodically, by default as often as the sweep. Returns a function that stops it. */
  readonly run: (
    task: (signal: AbortSignal) => Promise<void>,
    intervalMs?: number,
    initialDelayMs?: number,
  ) => () => Promise<void>;
}

type Work = Awaited<ReturnType<typeof startWork>>;

async function startWork(connected: Connected, signal: AbortSignal) {
  const { config, logger, timings, database, queues, metrics, heartbeat, run } = connected;
  const stopRetention = startRetention(config, logger, timings.retention);
  const mailers = openMailers(config, timings, logger);
  const outbound = createOutboundClient(config.outboundAllow);
  const limits = getRateLimits(timings, config.mail);
  const limiters = mapKinds((_rules, kind) => createClaimLimiter(limits[kind]));
  const handlers = createHandlers(config, database, mailers, outbound);
  const services = { database, handlers, limiters, timings, logger, metrics, shutdown: signal };
  const scheduler = queues && createDeliveryScheduler(queues);
  const workers = queues ? await startQueueWorkers(queues, limits, services) : [];
  const sweep = makeSweep({ ...services, scheduler, planners: listPlanners(config, database, timings) });
  const tryForm = makeFormTrials({ config, database, logger, intervalMs: timings.checks.every });
  const runChecks = makeSiteChecks({ config, database, metrics, logger });
  const stopTasks = [
    run(() => tryForm().finally(runChecks), timings.checks.every, timings.checks.first),
    run((aborted) => sweep(aborted).finally(heartbeat.beat)),
    ...listTasks(config, services, outbound).map(({ task, intervalMs }) => run(task, intervalMs)),
  ];

  return {
    stop: () =>
      Promise.all([stopRetention(), ...stopTasks.map((stop) => stop()), ...workers.map((worker) => worker.close())]),
    close: async () => {
      mailers.sales.close();
      mailers.visitors.close();
      await Promise.all([outbound.close(), scheduler?.close()]);
    },
  };
}

/** Waits for the database and starts working. Returns undefined if the signal is aborted first. */
async function startWhenReady(connected: Connected, signal: AbortSignal): Promise<Work | undefined> {
  const { config, logger, timings, database, heartbeat, run } = connected;
  // The heartbeat runs during the wait, because waiting for the database isn't a hang.
  const stopStartBeats = run(heartbeat.beat);

  try {
    await prepareStart(config, database, logger, timings.alerts.databaseAwayAfter, signal);
    await eraseAgain(config, logger, signal);
    signal.throwIfAborted();

    return await startWork(connected, signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    await stopStartBeats();
  }
}

/** Creates a worker that is monitored immediately and processes deliveries after `start`. */
export async function createWorker(config: Config, logger: Logger, timings: Timings) {
  const database = createDatabase(config.databaseUrl, 'worker');
  const alerts = startAlerts(config, { database, logger, timings });
  const run: Connected['run'] = (task, intervalMs = timings.sweep, initialDelayMs = 0) =>
    runPeriodically({ run: task, intervalMs, initialDelayMs, onError: (error) => reportTaskFailure(error, logger) });
  const stopDatabaseCheck = run(createDatabaseCheck(database, timings.alerts.databaseAwayAfter, logger));
  const heartbeat = startHeartbeat(timings.hang, logger, alerts.flush);
  const metrics = createWorkerMetrics();
  const queues = config.redisUrl ? connectQueues(config.redisUrl, logger) : undefined;
  const monitored = { service: 'worker', config, registry: metrics.registry, database, logger } as const;
  const stopMonitoring = await startMonitoring(monitored);
  const connected = { config, logger, timings, database, queues, metrics, heartbeat, run };
  const shutdown = new AbortController();
  let work: Promise<Work | undefined> = Promise.resolve(undefined);

  return {
    /** Resolves once the worker is ready, or when it is closed before that. */
    start: async (): Promise<void> => {
      work = startWhenReady(connected, shutdown.signal);
      if (await work) logger.info({ queue: config.redisUrl ? 'redis' : 'none' }, 'The worker is ready.');
    },
    onClose: [
      async () => heartbeat.stop(),
      async () => shutdown.abort(),
      async () => Promise.all([stopDatabaseCheck(), (await work)?.stop()]),
      async () => (await work)?.close(),
      stopMonitoring,
      async () => queues?.close(),
      alerts.stop,
      () => database.destroy(),
    ],
  };
}

/** Runs the worker process. A signal closes it gracefully, even while it waits for the database. */
export async function startWorker(config: Config, logger: Logger, timings: Timings): Promise<void> {
  const { start, onClose } = await createWorker(config, logger, timings);
  closeGracefully({ logger, deadlineMs: timings.shutdown, onClose });
  await start();
  reportReady();
}
