import fastifyCookie from '@fastify/cookie';
import type { FastifyInstance } from 'fastify';
import {
  parseNewsletterRequest,
  type NewsletterRequest,
} from '../../shared/newsletter/newsletter-request.ts';
import { normalizeAddress } from '../../shared/node/mail/email-address.ts';
import { anchors, apiPaths, insightsQuery, routePatterns } from '../../shared/paths.ts';
import { AppError } from '../http/errors.ts';
import { acceptFormsOnly, acceptJsonOnly, readTextField } from '../http/request-body.ts';
import { hideFromSearch } from '../http/security-headers.ts';
import type { InsightsStates } from '../insights/insights-states.ts';
import { routeFormPost, type FormPostServices } from '../pages/form-posts.ts';
import { acceptSubscription, type NewsletterServices } from './accept-subscription.ts';

/**
 * Parses a request, its domain in ASCII, as it is mailed: any number of ways to write one lead to the same mailbox
 * (UTS 46), and each would have mails of its own. The rules are checked again, since ASCII is longer.
 * @throws AppError invalid-fields
 */
function parseRequest(body: unknown): NewsletterRequest {
  const typed = parseNewsletterRequest(body);
  const parsed = typed.ok ? parseNewsletterRequest({ email: normalizeAddress(typed.value.email) }) : typed;
  if (parsed.ok) return parsed.value;

  throw new AppError('invalid-fields', 'Please check the email address.', { errors: parsed.errors });
}

function registerApi(app: FastifyInstance, newsletter: NewsletterServices): void {
  acceptJsonOnly(app);

  app.post(apiPaths.newsletterSubscriptions, async (request, reply) => {
    await acceptSubscription(newsletter, parseRequest(request.body), request.ip);

    return reply.code(202).header('cache-control', 'no-store').send({});
  });
}

/** Where the page shows that the address was accepted, at the box. */
const SUCCESS_LOCATION = `${routePatterns.insights}?${insightsQuery.subscribed}=1#${anchors.newsletter}`;

async function registerForm(app: FastifyInstance, options: NewsletterOptions): Promise<void> {
  await acceptFormsOnly(app);
  await app.register(fastifyCookie);

  routeFormPost(app, options.countFailedPost, {
    path: routePatterns.newsletter,
    // The page around the box may show the listing.
    setHeaders: (reply) =>
      void hideFromSearch(reply).headers({ 'cache-control': 'no-store', vary: 'Cookie' }),
    submit: async ({ body, ip }) => {
      await acceptSubscription(options.newsletter, parseRequest(body), ip);

      return SUCCESS_LOCATION;
    },
    shownErrors: ['invalid-fields', 'rate-limited', 'unavailable'],
    render: (request, { errors, detail }) =>
      options.pages.renderUncached(routePatterns.insights, {
        ...options.insightsStates.readFor(request),
        newsletterFormResult: {
          email: readTextField(request.body, 'email') ?? '',
          ...(errors ? { error: errors['email'] } : { banner: detail }),
        },
      }),
  });
}

interface NewsletterOptions extends FormPostServices {
  readonly newsletter: NewsletterServices;
  /** The state of the page that has the box. */
  readonly insightsStates: InsightsStates;
}

/** `POST /api/newsletter-subscriptions`: JSON only; and `POST /newsletter`: the box without JavaScript. */
export async function newsletter(app: FastifyInstance, options: NewsletterOptions): Promise<void> {
  await app.register(async (api) => registerApi(api, options.newsletter));
  await app.register((form) => registerForm(form, options));
}
