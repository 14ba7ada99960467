import { articles } from '#content/articles';
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { MAX_BODY_BYTES } from '../shared/contact/contact-schema.ts';
import type { Config } from '../shared/node/config/config.ts';
import { listPages } from '../shared/node/content/list-pages.ts';
import type { Database } from '../shared/node/database/database.ts';
import { createDeliveryPlanner } from '../shared/node/deliveries/delivery-store.ts';
import { getErrorCode } from '../shared/node/logging/describe-error.ts';
import type { createWebMetrics } from '../shared/node/monitoring/site-metrics.ts';
import type { Queues } from '../shared/node/queues/queues.ts';
import type { Redis } from '../shared/node/redis/connections.ts';
import { createResponsePromise } from '../shared/node/response-promise/response-promise.ts';
import { contactApi, contactForm, createTrialTokens } from './contact/contact-routes.ts';
import { createSubmissionLimits } from './contact/submission-limits.ts';
import { followUp } from './follow-up/follow-up-routes.ts';
import { heldRequests } from './follow-up/held-request-routes.ts';
import type { SchedulingServices } from './deliveries/schedule-in-background.ts';
import { health } from './health/health-routes.ts';
import {
  drainOnClose,
  httpLimits,
  limitConnections,
  MAX_HEADER_BYTES,
  respondToMalformedRequest,
} from './http/connections.ts';
import { handleErrors } from './http/errors.ts';
import { waitForBodies } from './http/request-body.ts';
import { guardRequests, toOriginForm } from './http/request-guard.ts';
import { logRequests } from './http/request-log.ts';
import { addResponseCache } from './http/response-cache.ts';
import { makeSecurityHeaders, setSecurityHeaders } from './http/security-headers.ts';
import { createInsightsStates, insights, createGate } from './insights/insights-routes.ts';
import { newsletter, newsletterLinks } from './newsletter/newsletter-routes.ts';
import { createFormErrorLimit } from './pages/form-posts.ts';
import { createPageRenderer, type LoadMonitor } from './pages/page-renderer.ts';
import { pageRoutes } from './pages/page-routes.ts';
import { createLinkLimit } from './pages/signed-action-pages.ts';
import type { RenderDocument } from './ssr/render-document.ts';
import { seo } from './seo/seo-routes.ts';
import { wellKnown } from './well-known/well-known-routes.ts';

interface WebServices extends SchedulingServices {
  readonly database: Database;
  /** Undefined if jobs don't run on Redis. */
  readonly queues: Queues | undefined;
  readonly redis: Redis | undefined;
  readonly metrics: ReturnType<typeof createWebMetrics>;
}

export interface WebFrontEnd {
  readonly renderDocument: RenderDocument;
  /** Serves scripts and styles: the built files, or Vite in development. */
  readonly serveAssets: (app: FastifyInstance) => Promise<void>;
  /** False in development, where pages aren't cached and Vite's hot reload needs inline scripts. */
  readonly isBuilt: boolean;
}

function createFastify(loggerInstance: FastifyBaseLogger, trustProxy: readonly string[], headers: Record<string, string>) {
  const app: FastifyInstance = Fastify({
    loggerInstance,
    // Fastify's own log lines contain URLs and addresses. `request-log.ts` writes ours.
    logController: new LogController({ disableRequestLogging: true }),
    // No child logger per request. It would cost more than a request's few log lines, which contain the id anyway.
    childLoggerFactory: (log) => log,
    trustProxy: trustProxy.length > 0 ? [...trustProxy] : false,
    bodyLimit: MAX_BODY_BYTES,
    // An overlong token gets the page's own 404 instead of Fastify's 414.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    ...httpLimits,
    // Requests that arrive during the shutdown still get a response (`drainOnClose`).
    return503OnClosing: false,
    rewriteUrl: ({ url = '/' }) => toOriginForm(url),
    clientErrorHandler: (error, socket) => respondToMalformedRequest(app, socket, getErrorCode(error) ?? '', headers),
  });

  return app;
}

/** Registers the features. Their order doesn't matter. */
async function registerFeatures(
  app: FastifyInstance,
  { site, web, linkSecrets, timeZone, mail, followUp: settings }: Config,
  services: WebServices,
  { renderDocument, serveAssets, isBuilt }: WebFrontEnd,
  load: LoadMonitor,
): Promise<void> {
  const { database, scheduler, logger, redis, queues } = services;
  const { insightsPassword: password, contactRate } = web;
  const promise = createResponsePromise(settings);
  const plan = createDeliveryPlanner(promise, settings);
  const submissions = { ...services, limits: createSubmissionLimits(redis, contactRate), plan };
  const acceptTrialToken = createTrialTokens(redis, linkSecrets);
  const gate =
    password === undefined ? undefined : createGate({ password, secrets: linkSecrets, publicUrl: site.publicUrl, redis });
  const insightsStates = createInsightsStates(articles, gate);
  const pages = createPageRenderer(renderDocument, site, { cachesPages: isBuilt, load });
  const formPosts = { pages, countFormError: createFormErrorLimit(redis) };
  const runLimited = createLinkLimit();
  const { sales, assignment } = mail;
  const followUpPage = { siteName: site.name, bookingUrl: site.bookingUrl, timeZone, promise, sales, assignment };
  const signedPages = { database, scheduler, logger, pages, linkSecrets, runLimited, followUp: followUpPage };
  const sitePages = listPages(site);

  await app.register(health, { database, isRedisReady: queues?.isReady });
  await app.register(seo, { site, sitePages });
  await app.register(wellKnown, { site });
  await app.register(contactApi, { ...submissions, acceptTrialToken });
  await app.register(contactForm, { site, submissions, redis });
  await app.register(followUp, signedPages);
  await app.register(heldRequests, { ...signedPages, plan });
  await app.register(newsletter, { database, scheduler, logger, redis, insightsStates, ...formPosts });
  await app.register(newsletterLinks, { database, pages, linkSecrets, runLimited });
  await app.register(insights, { insightsStates, gate, ...formPosts });
  await serveAssets(app);
  await app.register(pageRoutes, { pages, pagePaths: new Set(sitePages.map(({ path }) => path)) });
}

/** Builds the web application. Does not listen, connect or read the environment. */
export async function buildApp(
  config: Config,
  services: WebServices,
  front: WebFrontEnd,
  load: LoadMonitor,
): Promise<FastifyInstance> {
  const { site, web } = config;
  const { hstsSubdomains } = web;
  const headers = front.isBuilt ? makeSecurityHeaders({ publicUrl: site.publicUrl, hstsSubdomains }) : {};
  const app = createFastify(services.logger, web.trustProxy, headers);

  // Hooks run in the order of these calls.
  setSecurityHeaders(app, site.publicUrl, headers);
  limitConnections(app);
  drainOnClose(app);
  waitForBodies(app);
  addResponseCache(app);
  logRequests(app, services.metrics);
  handleErrors(app);
  guardRequests(app, site.publicUrl, web.aliases);
  await registerFeatures(app, config, services, front, load);

  return app;
}
