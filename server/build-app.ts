import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { MAX_BODY_BYTES } from '../shared/contact/contact-schema.ts';
import type { Article } from '../shared/content/article.ts';
import type { RequestMetrics } from '../shared/node/monitoring/site-metrics.ts';
import { getErrorCode } from '../shared/node/logging/describe-error.ts';
import { registerContactApi } from './contact/contact-api-routes.ts';
import { registerContactForm } from './contact/contact-form-routes.ts';
import type { SubmissionServices } from './contact/submit-contact-request.ts';
import { registerSeo, type SeoContent } from './seo/seo-routes.ts';
import { AppError } from './http/errors.ts';
import { registerFollowUp, type FollowUpSettings } from './follow-up/follow-up-routes.ts';
import { registerHeldRequests } from './follow-up/held-request-routes.ts';
import { registerHealth } from './health/health-routes.ts';
import { respondToUnreadable, httpLimits, limitServer, MAX_HEADER_BYTES } from './http/limits.ts';
import type { Gate } from './insights/gate.ts';
import { registerInsights } from './insights/insights-routes.ts';
import { createInsightsStates } from './insights/insights-states.ts';
import { registerNewsletterApi } from './newsletter/newsletter-api-routes.ts';
import { registerNewsletterForm } from './newsletter/newsletter-form-routes.ts';
import { registerNewsletterLinks } from './newsletter/newsletter-link-routes.ts';
import { registerErrorHandler, sendError } from './http/error-handler.ts';
import { registerConnectionLimit } from './http/connection-limit.ts';
import { registerGracefulShutdown } from './http/graceful-shutdown.ts';
import { registerRequestGuard, toOriginForm } from './http/request-guard.ts';
import { registerRequestLog } from './http/request-log.ts';
import { registerRequestMetrics } from './http/request-metrics.ts';
import { makeSecurityHeaders, registerSecurityHeaders } from './http/security-headers.ts';
import { registerVisitorAddressCheck } from './http/visitor-addresses.ts';
import type { RateLimiter } from './rate-limits/rate-limiter.ts';
import { makeFailedPostRenderer, type CountFailedPost } from './pages/failed-post-pages.ts';
import type { PageRenderer } from './pages/page-renderer.ts';
import { registerPages } from './pages/page-routes.ts';

export interface AppOptions {
  readonly publicUrl: string;
  readonly hstsSubdomains: boolean;
  /** Addresses and ranges whose forwarded headers are believed. */
  readonly trustProxy: readonly string[];
  readonly linkSecrets: readonly string[];
  readonly followUp: FollowUpSettings;
  readonly services: SubmissionServices;
  readonly challengeLimiter: RateLimiter;
  readonly newsletterLimiter: RateLimiter;
  readonly countFailedPost: CountFailedPost;
  readonly pages: PageRenderer;
  readonly discovery: SeoContent;
  /** The entries of the insights, the newest first. */
  readonly articles: readonly Article[];
  /** Undefined where no password is configured. */
  readonly gate: Gate | undefined;
  readonly isRedisReady: (() => boolean) | undefined;
  readonly metrics: RequestMetrics;
  /** What serves scripts and styles: the built files, or Vite while developing. */
  readonly registerAssets: (app: FastifyInstance) => Promise<void>;
  /** False while developing: Vite's hot reload needs inline scripts. */
  readonly hasSecurityHeaders: boolean;
}

function createFastify({ trustProxy, services }: AppOptions, headers: Record<string, string>) {
  const loggerInstance: FastifyBaseLogger = services.logger;

  return Fastify({
    loggerInstance,
    // Fastify's own lines carry URLs and addresses; ours are in `request-log.ts`.
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustProxy.length > 0 ? [...trustProxy] : false,
    bodyLimit: MAX_BODY_BYTES,
    // A token is told good or bad by its page, however long: Fastify would answer for it. No route has
    // a regular expression, which the limit is there for.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    ...httpLimits,
    // A request that is here is answered, also after the signal to end (`graceful-shutdown.ts`).
    return503OnClosing: false,
    rewriteUrl: ({ url = '/' }) => toOriginForm(url),
    clientErrorHandler: (error, socket) =>
      respondToUnreadable(getErrorCode(error) ?? '', socket, headers),
    // A path that can't be decoded never reaches the hooks.
    frameworkErrors: (error, request, reply) => {
      reply.headers(headers);

      return sendError(request, reply, error);
    },
  });
}

/** Builds the whole web application; it neither listens nor connects nor reads the environment. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { services, pages, publicUrl, linkSecrets, challengeLimiter } = options;
  const { database, scheduler, logger } = services;
  const newsletter = { database, scheduler, logger, limiter: options.newsletterLimiter };
  const insightsStates = createInsightsStates(options.articles, options.gate);
  const renderFailedPost = makeFailedPostRenderer(pages, options.countFailedPost);
  const headers = options.hasSecurityHeaders ? { ...makeSecurityHeaders(options) } : {};
  const app = createFastify(options, headers);
  limitServer(app, headers);
  const isShuttingDown = registerGracefulShutdown(app, registerConnectionLimit(app));

  if (options.hasSecurityHeaders) registerSecurityHeaders(app, options);
  registerRequestLog(app);
  registerRequestMetrics(app, options.metrics);
  registerErrorHandler(app);
  registerRequestGuard(app, publicUrl);
  registerVisitorAddressCheck(app, publicUrl);
  app.setNotFoundHandler((request, reply) =>
    sendError(request, reply, new AppError('not-found', 'There is nothing at this address.')),
  );

  registerHealth(app, { database, isRedisReady: options.isRedisReady, isShuttingDown });
  registerSeo(app, options.discovery);
  await app.register((scope) => registerContactApi(scope, { services, challengeLimiter }));
  await app.register((scope) => registerContactForm(scope, { services, renderFailedPost }));
  await app.register((scope) =>
    registerFollowUp(scope, { database, scheduler, pages, linkSecrets }, options.followUp),
  );
  await app.register((scope) =>
    registerHeldRequests(scope, { ...services, pages, linkSecrets }, options.followUp),
  );
  await app.register((scope) => registerNewsletterApi(scope, newsletter));
  await app.register((scope) =>
    registerNewsletterForm(scope, { services: newsletter, renderFailedPost, insightsStates }),
  );
  await app.register((scope) => registerNewsletterLinks(scope, { database, pages, linkSecrets }));
  await app.register((scope) =>
    registerInsights(scope, { pages, renderFailedPost, states: insightsStates, gate: options.gate }),
  );
  await options.registerAssets(app);
  registerPages(app, pages, new Set(options.discovery.pages.map(({ path }) => path)));

  return app;
}
