import type { FastifyInstance } from 'fastify';
import { startAlertRecorder } from '../shared/node/alerts/alert-recorder.ts';
import type { Config } from '../shared/node/config/config.ts';
import { readArticles } from '../shared/node/content/articles.ts';
import { listPages } from '../shared/node/content/list-pages.ts';
import { createDatabase } from '../shared/node/database/database.ts';
import { createDeliveryPlanner } from '../shared/node/deliveries/delivery-planner.ts';
import { createDeliveryScheduler } from '../shared/node/deliveries/delivery-scheduler.ts';
import { getErrorCode, SiteError } from '../shared/node/logging/describe-error.ts';
import type { Logger } from '../shared/node/logging/logger.ts';
import { createWebMetrics } from '../shared/node/monitoring/site-metrics.ts';
import { startMonitoring } from '../shared/node/monitoring/start-monitoring.ts';
import { closeGracefully } from '../shared/node/process/process.ts';
import { createProducerConnection, type Redis } from '../shared/node/redis/connections.ts';
import { connectQueues, type Queues } from '../shared/node/queues/queues.ts';
import { createResponsePromise } from '../shared/node/response-promise/response-promise.ts';
import { Second } from '../shared/time.ts';
import { buildApp } from './build-app.ts';
import { createRefusedFormCounter } from './contact/contact-form-routes.ts';
import { createSubmissionLimits } from './contact/submission-limits.ts';
import { createGate } from './insights/gate.ts';
import { createSubscriptionLimits } from './newsletter/accept-subscription.ts';
import { createFailedPostCounter } from './pages/form-posts.ts';
import { createLoadMonitor, createPageRenderer, type LoadMonitor } from './pages/page-renderer.ts';
import type { RenderDocument } from './ssr/render-document.ts';

/** Milliseconds a visitor waits for Redis to count; then the process counts for itself. */
const LIMITS_TIMEOUT = 0.5 * Second;

/** Milliseconds: later than the first page is sent, earlier than a form can be filled in. */
const PRELOAD_QUEUES_AFTER = 1 * Second;

/** Milliseconds for requests in flight, and for the pools, after a signal. */
const SHUTDOWN_DEADLINE = 25 * Second;

/** What the built site and development don't share. */
interface WebFrontEnd {
  readonly renderDocument: RenderDocument;
  /** Serves scripts and styles. */
  readonly serveAssets: (app: FastifyInstance) => Promise<void>;
  /** False while developing: pages aren't cached, and Vite's hot reload needs inline scripts. */
  readonly isBuilt: boolean;
}

/** What tests replace: their own work makes the event loop late. */
interface WebReplacements {
  readonly load?: LoadMonitor;
}

function makeGate(
  { web, site, linkSecrets }: Pick<Config, 'web' | 'site' | 'linkSecrets'>,
  redis: Redis | undefined,
) {
  if (web.insightsPassword === undefined) return undefined;

  return createGate({
    password: web.insightsPassword,
    secrets: linkSecrets,
    publicUrl: site.publicUrl,
    redis,
  });
}

async function preloadQueues(queues: Queues, logger: Logger): Promise<void> {
  await queues
    .preload()
    .catch((error: unknown) => logger.warn({ err: error }, 'The queues could not be loaded.'));
}

/** A web process that doesn't listen yet. */
interface Web {
  readonly app: FastifyInstance;
  /** Starts what runs beside the requests, and listens. */
  readonly start: () => Promise<void>;
  /** Closes everything, in this order. */
  readonly onClose: ReadonlyArray<() => Promise<unknown>>;
}

/** What the application works with; nothing of it is connected yet. */
function createServices(config: Config, logger: Logger) {
  const database = createDatabase(config.databaseUrl, 'web');
  const queues = config.redisUrl ? connectQueues(config.redisUrl, logger) : undefined;

  return {
    database,
    // A worker sends them: web has neither the mail server's password nor a way out.
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

type Services = ReturnType<typeof createServices>;

async function buildSiteApp(
  { site, web, linkSecrets, timeZone, mail, followUp }: Config,
  services: Services,
  front: WebFrontEnd,
  { load = createLoadMonitor() }: WebReplacements,
): Promise<FastifyInstance> {
  const { database, scheduler, logger, redis, queues, metrics } = services;
  const promise = createResponsePromise(followUp);

  return buildApp({
    database,
    scheduler,
    logger,
    site,
    hstsSubdomains: web.hstsSubdomains,
    trustProxy: web.trustProxy,
    linkSecrets,
    followUp: { timeZone, promise, sales: mail.sales },
    submissions: {
      ...services,
      limits: createSubmissionLimits(redis, web.contactRate),
      plan: createDeliveryPlanner(promise, followUp),
    },
    subscriptionLimits: createSubscriptionLimits(redis),
    countFailedPost: createFailedPostCounter(redis),
    countRefusedForm: createRefusedFormCounter(redis),
    pages: createPageRenderer(front.renderDocument, site, {
      cachesPages: front.isBuilt,
      load,
    }),
    sitePages: await listPages(site),
    articles: await readArticles(),
    gate: makeGate({ site, web, linkSecrets }, redis),
    isRedisReady: queues?.isReady,
    metrics,
    serveAssets: front.serveAssets,
    hasSecurityHeaders: front.isBuilt,
  });
}

/** Wires database, Redis and queues to the application. */
export async function createWeb(
  config: Config,
  logger: Logger,
  front: WebFrontEnd,
  replacements: WebReplacements = {},
): Promise<Web> {
  const services = createServices(config, logger);
  const { database, queues } = services;
  const app = await buildSiteApp(config, services, front, replacements);
  if (config.web.insightsPassword === undefined) {
    logger.warn('INSIGHTS_PASSWORD is not set: the listing of the insights is open to everyone.');
  }
  let stopMonitoring = async (): Promise<void> => undefined;

  return {
    app,
    start: async () => {
      const { registry } = services.metrics;
      stopMonitoring = await startMonitoring({
        service: 'web',
        config,
        registry,
        database,
        logger,
      });
      const { host, port } = config.web;
      await app.listen({ host, port }).catch((error: unknown) => {
        throw new SiteError(`Nothing can listen at HOST ${host} and PORT ${port} (${getErrorCode(error)}).`);
      });
      if (queues) setTimeout(() => void preloadQueues(queues, logger), PRELOAD_QUEUES_AFTER).unref();
    },
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

/** Runs the web process: listens, and closes in order at a signal. */
export async function startWeb(
  config: Config,
  logger: Logger,
  front: WebFrontEnd,
  replacements?: WebReplacements,
): Promise<void> {
  const { start, onClose } = await createWeb(config, logger, front, replacements);
  closeGracefully({ logger, deadlineMs: SHUTDOWN_DEADLINE, onClose });
  await start();
}
