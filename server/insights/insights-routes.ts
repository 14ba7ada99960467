import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import fastifyCookie, { Signer, type CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toListedArticle } from '../../shared/content/article.ts';
import type { Article } from '../../shared/content/content-schema.ts';
import type { Redis } from '../../shared/node/redis/connections.ts';
import { INCORRECT_PASSWORD, type InsightsState } from '../../shared/page-state.ts';
import { apiPaths, insightsQuery, routePatterns } from '../../shared/paths.ts';
import { Day, Minute, Second } from '../../shared/time.ts';
import { AppError } from '../http/errors.ts';
import { createClientLimits } from '../http/rate-limits.ts';
import { acceptEmptyJson, acceptFormsOnly, readTextField } from '../http/request-body.ts';
import { hideFromSearch, PRIVATE_CACHE_CONTROL } from '../http/security-headers.ts';
import { routeFormPost, type FormPostServices } from '../pages/form-posts.ts';
import { HTML_TYPE } from '../pages/page-renderer.ts';

const MAX_AGE = 30 * Day;

const perClient = { name: 'gate-client', count: 5, windowMs: Minute };
const perNetwork = { name: 'gate-network', count: 60, windowMs: Minute };

function makeTryError(retryAfterSeconds: number): AppError {
  return new AppError('rate-limited', `Too many tries. Please try again in ${retryAfterSeconds} seconds.`, {
    retryAfterSeconds,
  });
}

/** Returns a digest for constant-time comparison. NFC makes equivalent texts have equal digests. */
const digest = (text: string) => createHash('sha256').update(text.normalize('NFC')).digest();

interface GateSettings {
  readonly password: string;
  /** The first key signs. All of them verify. */
  readonly secrets: readonly string[];
  readonly publicUrl: string;
  readonly redis: Redis | undefined;
}

/** The gate to the listing: one password for everyone, and a cookie for those who entered it. */
type Gate = ReturnType<typeof createGate>;

/** Creates the gate. Its cookie contains the signed expiry time. The key is derived from a secret and the password. */
export function createGate({ password, secrets, publicUrl, redis }: GateSettings) {
  const countTry = createClientLimits(redis, perClient, perNetwork, makeTryError);
  const expected = digest(password);
  const signer = new Signer(
    secrets.map((secret) => createHmac('sha256', secret).update(`insights ${password}`).digest()),
  );
  const isHttps = publicUrl.startsWith('https:');
  // With this prefix, no other host in the domain can set the cookie. Browsers require HTTPS for it.
  const name = isHttps ? '__Host-insights' : 'insights';
  const options: CookieSerializeOptions = {
    path: '/',
    httpOnly: true,
    secure: isHttps,
    sameSite: 'lax',
    maxAge: MAX_AGE / Second,
  };

  return {
    isUnlocked: ({ cookies }: FastifyRequest): boolean => {
      const { valid, value } = signer.unsign(cookies[name] ?? '');

      return valid && value !== null && Date.now() < Number.parseInt(value, 36);
    },
    /** Unlocks the listing if the password is correct. @throws AppError incorrect-password or rate-limited */
    unlock: async ({ ip }: FastifyRequest, reply: FastifyReply, attempt: string): Promise<void> => {
      await countTry(ip);
      if (!timingSafeEqual(digest(attempt), expected)) {
        throw new AppError('incorrect-password', INCORRECT_PASSWORD);
      }
      reply.setCookie(name, signer.sign((Date.now() + MAX_AGE).toString(36)), options);
    },
    lock: (reply: FastifyReply): void => void reply.clearCookie(name, options),
  };
}

/** Marks a response that depends on the gate's cookie. */
function markGated(reply: FastifyReply): FastifyReply {
  return reply.headers({ 'cache-control': PRIVATE_CACHE_CONTROL, vary: 'Cookie' });
}

export type InsightsStates = ReturnType<typeof createInsightsStates>;

/** Creates the page's states. Without a gate, the listing is open. */
export function createInsightsStates(articles: readonly Article[], gate: Gate | undefined) {
  const open: InsightsPageState = { insights: { isGated: gate !== undefined, articles: articles.map(toListedArticle) } };
  const locked: InsightsPageState = { insights: { isGated: true } };

  return {
    open,
    readFor: (request: FastifyRequest) => (!gate || gate.isUnlocked(request) ? open : locked),
  };
}

interface InsightsPageState {
  readonly insights: InsightsState;
}

interface InsightsOptions extends FormPostServices {
  readonly insightsStates: InsightsStates;
  /** Undefined if no password is set, in which case the listing is open. */
  readonly gate: Gate | undefined;
}

/** Maximum body size in bytes, larger than any password. */
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

/** Returns the location under which the page is cached: its path and the known flags, without the listing's filter. */
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
    // Search engines may index the gate, but not the listing behind it.
    if (isOpen && gate) hideFromSearch(reply);
    const isFiltered = query.has(insightsQuery.search) || query.has(insightsQuery.category);
    if (isOpen && isFiltered) {
      const html = await pages.renderUncached(`${routePatterns.insights}?${search}`, state);

      return markGated(reply).type(HTML_TYPE).send(html);
    }

    return reply.sendCached(await pages.renderCached(makeLocation(query, isOpen), state), cachedHeaders);
  });
}

/** Routes `POST /insights`, which unlocks or locks the listing without JavaScript. */
async function registerForm(app: FastifyInstance, options: InsightsOptions): Promise<void> {
  const { pages, countFormError, gate } = options;
  await acceptFormsOnly(app);

  routeFormPost(app, countFormError, {
    path: routePatterns.insights,
    bodyLimit,
    setHeaders: setGatedHeaders,
    submit: async (request, reply) => {
      const { body } = request;
      const action = readTextField(body, 'action');
      if (action === 'lock') gate?.lock(reply);
      else await gate?.unlock(request, reply, readTextField(body, 'password') ?? '');

      // `unlocked` lets the page report that the browser didn't store the cookie.
      return action === 'unlock' ? `${routePatterns.insights}?${insightsQuery.unlocked}=1` : routePatterns.insights;
    },
    shownErrors: ['incorrect-password', 'rate-limited'],
    render: (_request, { detail }) =>
      pages.renderUncached(routePatterns.insights, { insights: { isGated: true, gateError: detail } }),
  });
}

/** Routes the listing's page, its gate, and the API calls its scripts make. */
export async function insights(app: FastifyInstance, options: InsightsOptions): Promise<void> {
  await app.register(fastifyCookie);
  registerPage(app, options);
  await app.register(async (api) => registerApi(api, options));
  await app.register((form) => registerForm(form, options));
}
