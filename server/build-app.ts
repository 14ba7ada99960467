import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { MAX_BODY_BYTES } from '../shared/contact/contact-schema.ts';
import type { Article } from '../shared/content/article.ts';
import type { Page } from '../shared/node/content/list-pages.ts';
import type { Database } from '../shared/node/database/database.ts';
import type { RequestMetrics } from '../shared/node/monitoring/site-metrics.ts';
import { getErrorCode } from '../shared/node/logging/describe-error.ts';
import type { Site } from '../shared/site.ts';
import { contactApi } from './contact/contact-api-routes.ts';
import { contactForm } from './contact/contact-form-routes.ts';
import type { SubmissionServices } from './contact/submit-contact-request.ts';
import { followUp } from './follow-up/follow-up-routes.ts';
import { heldRequests } from './follow-up/held-request-routes.ts';
import type { SchedulingServices } from './deliveries/schedule-in-background.ts';
import type { FollowUpPageSettings } from './follow-up/read-follow-up.ts';
import { health } from './health/health-routes.ts';
import {
  drainOnClose,
  httpLimits,
  limitConnections,
  MAX_HEADER_BYTES,
  respondToUnreadable,
} from './http/connections.ts';
import { handleErrors } from './http/errors.ts';
import { waitForBodies } from './http/request-body.ts';
import { guardRequests, toOriginForm } from './http/request-guard.ts';
import { logRequests } from './http/request-log.ts';
import { addResponseCache } from './http/response-cache.ts';
import { makeSecurityHeaders, setSecurityHeaders } from './http/security-headers.ts';
import type { Gate } from './insights/gate.ts';
import { insights } from './insights/insights-routes.ts';
import { createInsightsStates } from './insights/insights-states.ts';
import { newsletterLinks } from './newsletter/newsletter-link-routes.ts';
import { newsletter } from './newsletter/newsletter-routes.ts';
import type { CountFailedPost } from './pages/form-posts.ts';
import type { PageRenderer } from './pages/page-renderer.ts';
import { pageRoutes } from './pages/page-routes.ts';
import { createLinkLimit } from './pages/signed-action-pages.ts';
import type { ClientLimits } from './rate-limits/client-limits.ts';
import { seo } from './seo/seo-routes.ts';
import { wellKnown } from './well-known/well-known-routes.ts';

interface AppOptions extends SchedulingServices {
  readonly database: Database;
  readonly site: Site;
  readonly hstsSubdomains: boolean;
  /** Addresses and ranges whose forwarded headers are trusted. */
  readonly trustProxy: readonly string[];
  readonly linkSecrets: readonly string[];
  readonly followUp: FollowUpPageSettings;
  readonly submissions: SubmissionServices;
  readonly subscriptionLimits: ClientLimits;
  readonly countFailedPost: CountFailedPost;
  readonly countRefusedForm: CountFailedPost;
  readonly pages: PageRenderer;
  /** Every public page. */
  readonly sitePages: readonly Page[];
  /** The entries of the insights, the newest first. */
  readonly articles: readonly Article[];
  /** Undefined where no password is configured. */
  readonly gate: Gate | undefined;
  /** Undefined where jobs don't run on Redis. */
  readonly isRedisReady: (() => boolean) | undefined;
  readonly metrics: RequestMetrics;
  /** Serves scripts and styles: the built files, or Vite while developing. */
  readonly serveAssets: (app: FastifyInstance) => Promise<void>;
  /** False while developing: Vite's hot reload needs inline scripts. */
  readonly hasSecurityHeaders: boolean;
}

function createFastify({ trustProxy, logger }: AppOptions, headers: Record<string, string>) {
  const loggerInstance: FastifyBaseLogger = logger;

  const app: FastifyInstance = Fastify({
    loggerInstance,
    // Fastify's own lines carry URLs and addresses; ours are in `request-log.ts`.
    logController: new LogController({ disableRequestLogging: true }),
    // The few lines of a request name it themselves; a logger of its own costs each request more than its line.
    childLoggerFactory: (log) => log,
    trustProxy: trustProxy.length > 0 ? [...trustProxy] : false,
    bodyLimit: MAX_BODY_BYTES,
    // A bad token gets its page's 404, however long it is; Fastify would respond with 414. No route has
    // a regular expression, against which the limit protects.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    ...httpLimits,
    // A request that has arrived gets its response, also while shutting down (`drainOnClose`).
    return503OnClosing: false,
    rewriteUrl: ({ url = '/' }) => toOriginForm(url),
    clientErrorHandler: (error, socket) => respondToUnreadable(app, socket, getErrorCode(error) ?? '', headers),
  });

  return app;
}

/** Adds what holds for every request, in the order of its hooks. */
function addHttp(app: FastifyInstance, { site, metrics }: AppOptions, headers: Record<string, string>): void {
  setSecurityHeaders(app, site.publicUrl, headers);
  limitConnections(app);
  drainOnClose(app);
  waitForBodies(app);
  addResponseCache(app);
  logRequests(app, metrics);
  handleErrors(app);
  guardRequests(app, site.publicUrl);
}

/** The features; their order makes no difference. */
async function registerFeatures(app: FastifyInstance, options: AppOptions): Promise<void> {
  const { database, scheduler, logger, site, sitePages, submissions, pages, countFailedPost, linkSecrets, gate } = options;
  const insightsStates = createInsightsStates(options.articles, gate);
  const formPosts = { pages, countFailedPost };
  const runLimited = createLinkLimit();
  const signedPages = { database, scheduler, logger, pages, linkSecrets, runLimited };
  const limits = options.subscriptionLimits;

  await app.register(health, { database, isRedisReady: options.isRedisReady });
  await app.register(seo, { site, sitePages });
  await app.register(wellKnown, { site });
  await app.register(contactApi, { submissions });
  await app.register(contactForm, { site, submissions, countRefusedForm: options.countRefusedForm });
  await app.register(followUp, { ...signedPages, followUp: options.followUp });
  await app.register(heldRequests, {
    ...signedPages,
    plan: submissions.plan,
    followUp: options.followUp,
  });
  await app.register(newsletter, {
    newsletter: { database, scheduler, logger, limits },
    insightsStates,
    ...formPosts,
  });
  await app.register(newsletterLinks, { database, pages, linkSecrets, runLimited });
  await app.register(insights, { insightsStates, gate, ...formPosts });
  await options.serveAssets(app);
  await app.register(pageRoutes, { pages, pagePaths: new Set(sitePages.map(({ path }) => path)) });
}

/** Builds the whole web application; it neither listens nor connects nor reads the environment. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { site, hstsSubdomains, hasSecurityHeaders } = options;
  const headers = hasSecurityHeaders
    ? { ...makeSecurityHeaders({ publicUrl: site.publicUrl, hstsSubdomains }) }
    : {};
  const app = createFastify(options, headers);

  addHttp(app, options, headers);
  await registerFeatures(app, options);

  return app;
}
