import formBody from '@fastify/formbody';
import type { FastifyInstance } from 'fastify';
import { readNewsletterRequest } from '../../shared/newsletter/newsletter-request.ts';
import { pathTo, routePatterns } from '../../shared/paths.ts';
import type { NewsletterFormResult } from '../../shared/rendering.ts';
import { AppError } from '../errors.ts';
import type { PageRenderer } from '../ssr/page-renderer.ts';
import { acceptSubscription, type NewsletterServices } from './accept-subscription.ts';

/** What the field shows again; an address sent twice or not at all shows nothing. */
function readTypedEmail(body: unknown): string {
  const { email } = Object(body) as Readonly<Record<string, unknown>>;

  return typeof email === 'string' ? email : '';
}

/** The states in which the visitor gets the form back, with the typed address. */
const statesWithForm: ReadonlySet<string> = new Set(['rate-limited', 'unavailable']);

/** `POST /newsletter`: the newsletter box without JavaScript. */
export async function registerNewsletterForm(
  app: FastifyInstance,
  { services, pages }: { readonly services: NewsletterServices; readonly pages: PageRenderer },
): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(formBody);

  const renderBox = (newsletterFormResult: NewsletterFormResult) =>
    pages.renderFresh(routePatterns.insights, { newsletterFormResult });

  app.post(routePatterns.newsletter, async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const email = readTypedEmail(request.body);
    const reading = readNewsletterRequest(request.body);
    if (!reading.ok) {
      const html = await renderBox({ email, error: reading.errors['email'] });

      return reply.code(422).type('text/html; charset=utf-8').send(html);
    }

    try {
      await acceptSubscription(services, reading.value, request.ip);

      return await reply.redirect(`${pathTo.insights({ subscribed: true })}#newsletter`, 303);
    } catch (error) {
      if (!(error instanceof AppError) || !statesWithForm.has(error.code)) throw error;
      if (error.retryAfterSeconds !== undefined) {
        reply.header('retry-after', error.retryAfterSeconds);
      }
      const html = await renderBox({ email, banner: error.detail });

      return reply.code(error.status).type('text/html; charset=utf-8').send(html);
    }
  });
}
