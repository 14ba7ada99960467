import fastifyCookie from '@fastify/cookie';
import formBody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { apiPaths, insightsQuery, routePatterns } from '../../shared/paths.ts';
import { AppError } from '../http/errors.ts';
import { prepareCachedResponse } from '../http/response-cache.ts';
import type { RenderFailedPost } from '../pages/failed-post-pages.ts';
import type { PageRenderer } from '../pages/page-renderer.ts';
import type { Gate } from './gate.ts';
import { GATED_CACHE_CONTROL, hideFromSearch, markGated } from './gated-response.ts';
import type { InsightsStates } from './insights-states.ts';

export interface InsightsServices {
  readonly pages: PageRenderer;
  readonly renderFailedPost: RenderFailedPost;
  readonly states: InsightsStates;
  /** Undefined where no password is configured: then everything is open. */
  readonly gate: Gate | undefined;
}

const HTML = 'text/html; charset=utf-8';

/** Longer than any password; a body that is no longer costs nothing to keep waiting. */
const postOptions = { bodyLimit: 4096 };

/** A field of a body; undefined when it is missing or no text. */
function readField(body: unknown, name: string): string | undefined {
  const value: unknown =
    typeof body === 'object' && body !== null && Object.hasOwn(body, name)
      ? (body as Readonly<Record<string, unknown>>)[name]
      : undefined;

  return typeof value === 'string' ? value : undefined;
}

/** Locking needs no body, also of clients that call every body JSON. */
function takeEmptyBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else void parseJson(request, String(body), done);
  });
}

function registerCalls(app: FastifyInstance, { gate, states }: InsightsServices): void {
  app.addHook('onRequest', async (_request, reply) => {
    hideFromSearch(markGated(reply));
  });

  app.get(apiPaths.insightsArticles, async (request) => {
    if (gate && !gate.isUnlocked(request)) {
      throw new AppError('locked', 'The listing is locked. Please enter the password.');
    }

    return states.open.insights;
  });
  app.post(apiPaths.insightsSession, postOptions, async (request, reply) => {
    const password = readField(request.body, 'password');
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

/** What the page's own form posts, with and without a fault. */
function makeFormHandler({ renderFailedPost, gate }: InsightsServices) {
  const lockedPage = async (request: FastifyRequest, reply: FastifyReply, error: AppError) => {
    if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds);
    const html = await renderFailedPost(request, routePatterns.insights, {
      insights: { isGated: true, gateError: error.detail },
    });

    return reply.code(error.status).type(HTML).send(html);
  };

  return async (request: FastifyRequest, reply: FastifyReply) => {
    hideFromSearch(markGated(reply));
    try {
      if (readField(request.body, 'action') === 'lock') gate?.lock(reply);
      else await gate?.unlock(request, reply, readField(request.body, 'password') ?? '');
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;

      return lockedPage(request, reply, error);
    }

    return reply.redirect(routePatterns.insights, 303);
  };
}

/** The location the page is kept under: of the query what it knows without the listing's filter. */
function makeLocation(query: URLSearchParams, isOpen: boolean): string {
  const { unlock, subscribed } = insightsQuery;
  const known = [...(isOpen ? [] : [unlock]), subscribed].filter((name) => query.get(name) === '1');

  return known.length === 0
    ? routePatterns.insights
    : `${routePatterns.insights}?${known.map((name) => `${name}=1`).join('&')}`;
}

function registerPage(app: FastifyInstance, services: InsightsServices): void {
  const { pages, states } = services;

  app.get(routePatterns.insights, async (request, reply) => {
    const state = states.readFor(request);
    const isOpen = state === states.open;
    const [, search = ''] = request.url.split(/\?(.*)/s, 2);
    const query = new URLSearchParams(search);
    // The gate itself is a page like others; only what lies behind it isn't for search engines.
    if (isOpen && services.gate) hideFromSearch(reply);
    const isFiltered = query.has(insightsQuery.search) || query.has(insightsQuery.category);
    if (isOpen && isFiltered) {
      const html = await pages.renderUncached(`${routePatterns.insights}?${search}`, state);

      return markGated(reply).type(HTML).send(html);
    }
    return prepareCachedResponse(
      request,
      reply,
      await pages.renderCached(makeLocation(query, isOpen), state),
      { contentType: HTML, cacheControl: GATED_CACHE_CONTROL, vary: 'Cookie' },
    );
  });

  app.post(routePatterns.insights, postOptions, makeFormHandler(services));
}

/** The listing's page, its gate, and the calls its scripts make. */
export async function registerInsights(
  app: FastifyInstance,
  services: InsightsServices,
): Promise<void> {
  await app.register(fastifyCookie);

  await app.register(async (calls) => {
    calls.removeContentTypeParser('text/plain');
    takeEmptyBodies(calls);
    registerCalls(calls, services);
  });
  await app.register(async (page) => {
    page.removeAllContentTypeParsers();
    await page.register(formBody);
    registerPage(page, services);
  });
}
