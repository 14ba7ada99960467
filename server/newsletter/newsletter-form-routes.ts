import fastifyCookie from '@fastify/cookie';
import formBody from '@fastify/formbody';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseNewsletterRequest } from '../../shared/newsletter/newsletter-request.ts';
import { insightsQuery, routePatterns } from '../../shared/paths.ts';
import type { NewsletterFormResult } from '../../shared/rendering.ts';
import { AppError } from '../http/errors.ts';
import { hideFromSearch } from '../insights/gated-response.ts';
import type { InsightsStates } from '../insights/insights-states.ts';
import type { RenderFailedPost } from '../pages/failed-post-pages.ts';
import { acceptSubscription, type NewsletterServices } from './accept-subscription.ts';

/** What the field shows again; an address sent twice or not at all shows nothing. */
function readTypedEmail(body: unknown): string {
  const { email } = Object(body) as Readonly<Record<string, unknown>>;

  return typeof email === 'string' ? email : '';
}

/** The states in which the visitor gets the form back, with the typed address. */
const statesWithForm: ReadonlySet<string> = new Set(['rate-limited', 'unavailable']);

/** Where the page tells that the address was taken, at the box. */
const SUCCESS_LOCATION = `${routePatterns.insights}?${insightsQuery.subscribed}=1#newsletter`;

export interface NewsletterFormServices {
  readonly services: NewsletterServices;
  readonly renderFailedPost: RenderFailedPost;
  /** What else the visitor sees on the page the box is on. */
  readonly insightsStates: InsightsStates;
}

/** `POST /newsletter`: the newsletter box without JavaScript. */
export async function registerNewsletterForm(
  app: FastifyInstance,
  { services, renderFailedPost, insightsStates }: NewsletterFormServices,
): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(formBody);
  await app.register(fastifyCookie);

  const renderBox = (request: FastifyRequest, newsletterFormResult: NewsletterFormResult) =>
    renderFailedPost(request, routePatterns.insights, {
      ...insightsStates.readFor(request),
      newsletterFormResult,
    });

  app.post(routePatterns.newsletter, async (request, reply) => {
    // The page around the box may show the listing.
    hideFromSearch(reply).headers({ 'cache-control': 'no-store', vary: 'Cookie' });
    const email = readTypedEmail(request.body);
    const reading = parseNewsletterRequest(request.body);
    if (!reading.ok) {
      const html = await renderBox(request, { email, error: reading.errors['email'] });

      return reply.code(422).type('text/html; charset=utf-8').send(html);
    }

    try {
      await acceptSubscription(services, reading.value, request.ip);

      return await reply.redirect(SUCCESS_LOCATION, 303);
    } catch (error) {
      if (!(error instanceof AppError) || !statesWithForm.has(error.code)) throw error;
      if (error.retryAfterSeconds !== undefined) {
        reply.header('retry-after', error.retryAfterSeconds);
      }
      const html = await renderBox(request, { email, banner: error.detail });

      return reply.code(error.status).type('text/html; charset=utf-8').send(html);
    }
  });
}
