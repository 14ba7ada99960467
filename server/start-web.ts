import type { FastifyInstance } from 'fastify';
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
import { shutDownOnSignal } from '../shared/node/process/process.ts';
import { createProducerConnection, type Redis } from '../shared/node/redis/connections.ts';
import { connectQueues, type Queues } from '../shared/node/queues/queues.ts';
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
import { createFailedPostCounter } from './pages/failed-post-pages.ts';
import { createLoadMonitor } from './http/load-monitor.ts';
import { createPageRenderer } from './pages/page-renderer.ts';
import type { RenderDocument } from './pages/render-document.ts';

/** Milliseconds a visitor waits for a count; then the process counts for itself. */
const LIMITS_TIMEOUT = 0.5 * Second;

/** By then whoever waited for the first page has it, and nobody has filled in the form. */
const PRELOAD_QUEUES_AFTER = 1 * Second;

/** Time for requests in flight to end after a signal. */
const SHUTDOWN_DEADLINE = 25 * Second;

/** What differs between the built site and development. */
export interface WebFrontEnd {
  readonly renderDocument: RenderDocument;
  readonly registerAssets: (app: FastifyInstance) => Promise<void>;
  /** False while developing: pages aren't kept, and Vite's hot reload needs inline scripts. */
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

async function preloadQueues(queues: Queues, logger: Logger): Promise<void> {
  await queues
    .preload()
    .catch((error: unknown) => logger.warn({ err: error }, 'The queues could not be loaded.'));
}

const createLimiters = (redis: Redis | undefined) => ({
  challengeLimiter: createRateLimiter(redis, challengeRate),
  newsletterLimiter: createRateLimiter(redis, newsletterRate),
  countFailedPost: createFailedPostCounter(redis),
});

/** Wires the real database and queues to the application, listens, and ends in order. */
export async function startWeb(config: Config, logger: Logger, front: WebFrontEnd): Promise<void> {
  const discovery = { site: config.site, pages: await listPages(config.site) };
  const articles = await readArticles();
  const database = createDatabase(config.databaseUrl, 'web');
  // A worker sends them: web has neither the mail server's password nor a way out.
  const alerts = startAlertRecorder(database, logger);
  const redis = config.redisUrl
    ? createProducerConnection(config.redisUrl, logger, LIMITS_TIMEOUT)
    : undefined;
  const queues = config.redisUrl ? connectQueues(config.redisUrl, logger) : undefined;
  const scheduler = queues && createDeliveryScheduler(queues);
  const metrics = createWebMetrics();
  const app = await buildApp({
    publicUrl: config.site.publicUrl,
    hstsSubdomains: config.web.hstsSubdomains,
    trustProxy: config.web.trustProxy,
    linkSecrets: config.linkSecrets,
    followUp: { timeZone: config.mail.timeZone, dueAfter: config.followUp.dueAfter },
    services: {
      database,
      scheduler,
      limits: createSubmissionLimits(redis, config.web.contactRate),
      proofOfWork: createProofOfWork(config.linkSecrets),
      plan: planDeliveries(config.followUp),
      logger,
      metrics,
    },
    ...createLimiters(redis),
    pages: createPageRenderer(front.renderDocument, config.site, {
      cachesPages: front.isBuilt,
      load: createLoadMonitor(),
    }),
    discovery,
    articles,
    gate: makeGate(config, redis),
    isRedisReady: queues?.isReady,
    metrics,
    registerAssets: front.registerAssets,
    hasSecurityHeaders: front.isBuilt,
  });

  if (config.web.insightsPassword === undefined) {
    logger.warn('INSIGHTS_PASSWORD is not set: the listing of the insights is open to everyone.');
  }
  const stopMonitoring = await startMonitoring({
    service: 'web',
    config,
    registry: metrics.registry,
    database,
    queues,
    logger,
  });
  const stopWatch = startDurabilityCheck(database, logger);
  const stops = [stopWatch, stopMonitoring, async () => scheduler?.close(), async () => queues?.close()];
  shutDownOnSignal({
    logger,
    deadlineMs: SHUTDOWN_DEADLINE,
    steps: [() => app.close(), ...stops, alerts.stop, async () => redis?.disconnect(), () => database.destroy()],
  });
  await app.listen({ host: config.web.host, port: config.web.port });
  if (queues) setTimeout(() => void preloadQueues(queues, logger), PRELOAD_QUEUES_AFTER).unref();
}
