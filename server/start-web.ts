import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { planDeliveries } from '../shared/deliveries/delivery.ts';
import { startAlertRecorder } from '../shared/node/alerts/alert-recorder.ts';
import type { Config } from '../shared/node/config/config.ts';
import { readArticles } from '../shared/node/content/articles.ts';
import { listPages } from '../shared/node/content/list-pages.ts';
import { createDatabase } from '../shared/node/database/database.ts';
import { createDeliveryScheduler } from '../shared/node/deliveries/delivery-scheduler.ts';
import type { Logger } from '../shared/node/logging/logger.ts';
import { createWebMetrics } from '../shared/node/monitoring/site-metrics.ts';
import { startMonitoring } from '../shared/node/monitoring/start-monitoring.ts';
import { closeGracefully } from '../shared/node/process/process.ts';
import { createProducerConnection, type Redis } from '../shared/node/redis/connections.ts';
import type { QueueBackend } from '../shared/node/queues/job-queue.ts';
import { createQueueBackend } from '../shared/node/queues/queue-backend.ts';
import { startDurabilityCheck } from '../shared/node/database/durability-check.ts';
import { Second } from '../shared/time.ts';
import { buildApp } from './build-app.ts';
import { challengeRate } from './contact/contact-api-routes.ts';
import { createProofOfWork } from './contact/proof-of-work.ts';
import { createSubmissionLimits } from './contact/submission-limits.ts';
import { createGate } from './insights/gate.ts';
import { createGateLimits } from './insights/gate-limits.ts';
import { newsletterRate } from './newsletter/accept-subscription.ts';
import { createRateLimiter } from './rate-limits/rate-limiter.ts';
import { createFailedPostCounter } from './pages/form-posts.ts';
import { createLoadMonitor } from './http/load-monitor.ts';
import { createPageRenderer } from './pages/page-renderer.ts';
import type { RenderDocument } from './pages/render-document.ts';

/** Milliseconds a visitor waits for Redis to count; then the process counts for itself. */
const LIMITS_TIMEOUT = 0.5 * Second;

/** Milliseconds: by then whoever waited for the first page has it, and nobody has filled in the form. */
const PREPARE_QUEUES_AFTER = 1 * Second;

/** Milliseconds for requests in flight, and for the pools, after a signal. */
const SHUTDOWN_DEADLINE = 25 * Second;

/** What differs between the built site and development. */
export interface WebFrontEnd {
  readonly renderDocument: RenderDocument;
  /** Serves scripts and styles. */
  readonly assets: FastifyPluginAsync;
  /** False while developing: pages aren't cached, and Vite's hot reload needs inline scripts. */
  readonly isBuilt: boolean;
}

function makeGate({ web, site, linkSecrets }: Config, redis: Redis | undefined) {
  if (web.insightsPassword === undefined) return undefined;

  return createGate({
    password: web.insightsPassword,
    secrets: linkSecrets,
    publicUrl: site.publicUrl,
    limits: createGateLimits(redis),
  });
}

async function prepareQueues(backend: QueueBackend, logger: Logger): Promise<void> {
  await backend
    .prepare()
    .catch((error: unknown) => logger.warn({ err: error }, 'The queues could not be prepared.'));
}

const createLimiters = (redis: Redis | undefined) => ({
  challengeLimiter: createRateLimiter(redis, challengeRate),
  newsletterLimiter: createRateLimiter(redis, newsletterRate),
  countFailedPost: createFailedPostCounter(redis),
});

/** A web process that doesn't listen yet. */
export interface Web {
  readonly app: FastifyInstance;
  /** Starts what runs beside the requests, and listens. */
  readonly start: () => Promise<void>;
  /** Closes everything, in this order. */
  readonly onClose: ReadonlyArray<() => Promise<unknown>>;
}

/** Wires database, Redis and queues to the application; connects to none of them yet. */
export async function createWeb(config: Config, logger: Logger, front: WebFrontEnd): Promise<Web> {
  const { site, web, linkSecrets } = config;
  const database = createDatabase(config.databaseUrl, 'web');
  // A worker sends them: web has neither the mail server's password nor a way out.
  const alerts = startAlertRecorder(database, logger);
  const redis = config.redisUrl
    ? createProducerConnection(config.redisUrl, logger, LIMITS_TIMEOUT)
    : undefined;
  const backend = await createQueueBackend({ ...config, logger });
  const scheduler = createDeliveryScheduler(backend);
  const metrics = createWebMetrics();
  const app = await buildApp({
    site,
    hstsSubdomains: web.hstsSubdomains,
    trustProxy: web.trustProxy,
    linkSecrets,
    followUp: { timeZone: config.mail.timeZone, dueAfter: config.followUp.dueAfter },
    submissions: {
      database,
      scheduler,
      limits: createSubmissionLimits(redis, web.contactRate),
      proofOfWork: createProofOfWork(linkSecrets),
      plan: planDeliveries(config.followUp),
      logger,
      metrics,
    },
    ...createLimiters(redis),
    pages: createPageRenderer(front.renderDocument, site, {
      cachesPages: front.isBuilt,
      load: createLoadMonitor(),
    }),
    sitePages: await listPages(site),
    articles: await readArticles(),
    gate: makeGate(config, redis),
    isRedisReady: config.redisUrl ? backend.isReady : undefined,
    metrics,
    assets: front.assets,
    hasSecurityHeaders: front.isBuilt,
  });
  let stopMonitoring = async (): Promise<void> => undefined;
  let stopDurabilityCheck = async (): Promise<void> => undefined;

  return {
    app,
    start: async () => {
      const { registry } = metrics;
      stopMonitoring = await startMonitoring({
        service: 'web',
        config,
        registry,
        database,
        backend,
        logger,
      });
      stopDurabilityCheck = startDurabilityCheck(database, logger);
      await app.listen({ host: web.host, port: web.port });
      setTimeout(() => void prepareQueues(backend, logger), PREPARE_QUEUES_AFTER).unref();
    },
    onClose: [
      () => app.close(),
      () => stopDurabilityCheck(),
      () => stopMonitoring(),
      scheduler.close,
      backend.close,
      alerts.stop,
      async () => redis?.disconnect(),
      () => database.destroy(),
    ],
  };
}

/** Runs the web process: listens, and closes in order at a signal. */
export async function startWeb(config: Config, logger: Logger, front: WebFrontEnd): Promise<void> {
  const { start, onClose } = await createWeb(config, logger, front);
  if (config.web.insightsPassword === undefined) {
    logger.warn('INSIGHTS_PASSWORD is not set: the listing of the insights is open to everyone.');
  }
  closeGracefully({ logger, deadlineMs: SHUTDOWN_DEADLINE, onClose });
  await start();
}
