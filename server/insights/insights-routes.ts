import fastifyCookie from '@fastify/cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toListedArticle } from '../../shared/content/article.ts';
import type { Article } from '../../shared/content/content-schema.ts';
import type { InsightsState } from '../../shared/page-state.ts';
import { apiPaths, insightsQuery, routePatterns } from '../../shared/paths.ts';
import { AppError } from '../http/errors.ts';
import { acceptEmptyJson, acceptFormsOnly, readTextField } from '../http/request-body.ts';
import { hideFromSearch, PRIVATE_CACHE_CONTROL } from '../http/security-headers.ts';
import { routeFormPost, type FormPostServices } from '../pages/form-posts.ts';
import { HTML_TYPE } from '../pages/page-renderer.ts';
import { markGated, type Gate } from './gate.ts';

/** The states of the insights page, by what a visitor may see. */
export type InsightsStates = ReturnType<typeof createInsightsStates>;

/** Makes the page's states. Without a gate everything is open. */
export function createInsightsStates(articles: readonly Article[], gate: Gate | undefined) {
  const open: OwnInsights = { insights: { isGated: gate !== undefined, articles: articles.map(toListedArticle) } };
  const locked: OwnInsights = { insights: { isGated: true } };

  return {
    open,
    /** One of two objects, by which pages are cached. */
    readFor: (request: FastifyRequest) => (!gate || gate.isUnlocked(request) ? open : locked),
  };
}

interface OwnInsights {
  readonly insights: InsightsState;
}

interface InsightsOptions extends FormPostServices {
  readonly insightsStates: InsightsStates;
  /** Undefined where no password is configured: then everything is open. */
  readonly gate: Gate | undefined;
}

/** Bytes; more than any password. */
const bodyLimit = 4096;

const cachedHeaders = { contentType: HTML_TYPE, cacheControl: PRIVATE_CACHE_CONTROL, vary: 'Cookie' };

const setGatedHeaders = (reply: FastifyReply) => hideFromSearch(markGated(reply));

function registerApi(app: FastifyInstance, { gate }: InsightsOptions): void {
  // Locking needs no body.
  acceptEmptyJson(app);
  app.addHook('onRequest', async (_request, reply) => {
    setGatedHeaders(reply);
  });

  app.post(apiPaths.insightsSession, { bodyLimit }, async (request, reply) => {
    const password = readTextField(request.body, 'password');
    if (password === undefined) {
      throw new AppError('invalid-request', 'The request has no password.');
    }
    await gate?.unlock(request, reply, password);

    return reply.code(204).send();
  });
  app.delete(apiPaths.insightsSession, async (_request, reply) => {
    gate?.lock(reply);

    return reply.code(204).send();
  });
}

/** The location the page is cached by: of the query what it knows without the listing's filter. */
function makeLocation(query: URLSearchParams, isOpen: boolean): string {
  const { unlock, unlocked, subscribed } = insightsQuery;
  const known = [...(isOpen ? [] : [unlock, unlocked]), subscribed].filter((name) => query.get(name) === '1');

  return known.length === 0
    ? routePatterns.insights
    : `${routePatterns.insights}?${known.map((name) => `${name}=1`).join('&')}`;
}

function registerPage(app: FastifyInstance, { pages, insightsStates, gate }: InsightsOptions): void {
  app.get(routePatterns.insights, async (request, reply) => {
    const state = insightsStates.readFor(request);
    const isOpen = state === insightsStates.open;
    const [, search = ''] = request.url.split(/\?(.*)/s, 2);
    const query = new URLSearchParams(search);
    // The gate itself is a page like others; only what lies behind it isn't for search engines.
    if (isOpen && gate) hideFromSearch(reply);
    const isFiltered = query.has(insightsQuery.search) || query.has(insightsQuery.category);
    if (isOpen && isFiltered) {
      const html = await pages.renderUncached(`${routePatterns.insights}?${search}`, state);

      return markGated(reply).type(HTML_TYPE).send(html);
    }

    return reply.sendCached(await pages.renderCached(makeLocation(query, isOpen), state), cachedHeaders);
  });
}

/** `POST /insights`: unlocks, or locks, without JavaScript. */
async function registerForm(app: FastifyInstance, options: InsightsOptions): Promise<void> {
  const { pages, countFailedPost, gate } = options;
  await acceptFormsOnly(app);

  routeFormPost(app, countFailedPost, {
    path: routePatterns.insights,
    bodyLimit,
    setHeaders: setGatedHeaders,
    submit: async (request, reply) => {
      const { body } = request;
      const action = readTextField(body, 'action');
      if (action === 'lock') gate?.lock(reply);
      else await gate?.unlock(request, reply, readTextField(body, 'password') ?? '');

      // The page's own form asks to hear of a cookie that the browser doesn't keep.
      return action === 'unlock' ? `${routePatterns.insights}?${insightsQuery.unlocked}=1` : routePatterns.insights;
    },
    shownErrors: ['incorrect-password', 'rate-limited'],
    render: (_request, { detail }) =>
      pages.renderUncached(routePatterns.insights, { insights: { isGated: true, gateError: detail } }),
  });
}

/** The listing's page, its gate, and the calls its scripts make. */
export async function insights(app: FastifyInstance, options: InsightsOptions): Promise<void> {
  await app.register(fastifyCookie);
  registerPage(app, options);
  await app.register(async (api) => registerApi(api, options));
  await app.register((form) => registerForm(form, options));
}
