import fastifyCookie from '@fastify/cookie';
import type { FastifyInstance } from 'fastify';
import type { PlannedDelivery } from '../../shared/deliveries/delivery.ts';
import { parseNewsletterRequest } from '../../shared/newsletter/newsletter-request.ts';
import { lockInTransaction } from '../../shared/node/database/advisory-lock.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { isNewsletterMailLimitReached, insertDeliveries } from '../../shared/node/deliveries/delivery-store.ts';
import { getMailboxKey, normalizeAddress } from '../../shared/node/mail/email-address.ts';
import {
  confirmSubscription,
  endSubscription,
  findSubscription,
  hasUnsubscribedSince,
  isSubscribed,
  lockSubscription,
} from '../../shared/node/newsletter/newsletter-subscription-store.ts';
import type { Redis } from '../../shared/node/redis/connections.ts';
import type { NewsletterLinkState } from '../../shared/page-state.ts';
import { anchors, apiPaths, insightsQuery, routePatterns } from '../../shared/paths.ts';
import { Hour, Minute } from '../../shared/time.ts';
import { scheduleInBackground, type SchedulingServices } from '../deliveries/schedule-in-background.ts';
import { writeWithRetry } from '../http/database-timeout.ts';
import { AppError } from '../http/errors.ts';
import { createClientLimits } from '../http/rate-limits.ts';
import { acceptFormsOnly, acceptJsonOnly, readTextField } from '../http/request-body.ts';
import { hideFromSearch } from '../http/security-headers.ts';
import type { InsightsStates } from '../insights/insights-routes.ts';
import { routeFormPost, type FormPostServices } from '../pages/form-posts.ts';
import { routeSignedActionPages, type SignedActionPageServices } from '../pages/signed-action-pages.ts';

/** Limits per client and network, because the addresses may belong to strangers. */
const perClient = { name: 'newsletter-client', count: 10, windowMs: 10 * Minute };
const perNetwork = { name: 'newsletter-network', count: 20, windowMs: 1 * Hour };

/** Minimum time between mails to a mailbox and maximum number per day, so that no mailbox is flooded. */
const mailLimits = { pauseMs: 10 * Minute, perDay: 3 } as const;

const UNAVAILABLE = 'We can’t store your address right now. Please try again in a minute.';

const plan: readonly PlannedDelivery[] = [{ kind: 'newsletter', stage: null, dueAfter: 0 }];

/** Stores a subscription unless it exists. Plans a mail unless it is confirmed or the mailbox has reached its limit. */
function writeSubscription(database: Database, email: string) {
  return database.transaction(async (transaction) => {
    const mailbox = getMailboxKey(email);
    await lockInTransaction(transaction, `newsletter ${mailbox}`);
    const subscription = await lockSubscription(transaction, email);
    const subject = { subscription_id: subscription.id };
    const isOverLimit = await isNewsletterMailLimitReached(transaction, mailbox, mailLimits, subscription.unsubscribedAt);

    return isOverLimit || isSubscribed(subscription)
      ? []
      : insertDeliveries(transaction, subject, plan);
  });
}

/** Parses a request and converts the domain to ASCII, so that all spellings of a mailbox are equal (UTS 46). */
function parseRequest(body: unknown): string {
  const typed = parseNewsletterRequest(body);
  const parsed = typed.ok ? parseNewsletterRequest({ email: normalizeAddress(typed.value.email) }) : typed;
  if (parsed.ok) return parsed.value.email;

  throw new AppError('invalid-fields', 'Please check the email address.', { errors: parsed.errors });
}

/** Returns the function that accepts a request. It counts every request, so as not to reveal known addresses. */
function createSubscribe({ redis, ...services }: NewsletterOptions) {
  const count = createClientLimits(redis, perClient, perNetwork);

  /** @throws AppError invalid-fields, rate-limited or unavailable */
  return async (body: unknown, client: string): Promise<void> => {
    const email = parseRequest(body);
    const refund = await count(client);

    try {
      const scheduled = await writeWithRetry(() => writeSubscription(services.database, email), UNAVAILABLE);
      scheduleInBackground(services, scheduled);
    } catch (error) {
      await refund();
      throw error;
    }
  };
}

type Subscribe = ReturnType<typeof createSubscribe>;

function registerApi(app: FastifyInstance, subscribe: Subscribe): void {
  acceptJsonOnly(app);

  app.post(apiPaths.newsletterSubscriptions, async ({ body, ip }, reply) => {
    await subscribe(body, ip);

    return reply.code(202).header('cache-control', 'no-store').send({});
  });
}

const SUCCESS_LOCATION = `${routePatterns.insights}?${insightsQuery.subscribed}=1#${anchors.newsletter}`;

async function registerForm(app: FastifyInstance, options: NewsletterOptions, subscribe: Subscribe): Promise<void> {
  await acceptFormsOnly(app);
  await app.register(fastifyCookie);

  routeFormPost(app, options.countFormError, {
    path: routePatterns.newsletter,
    // The rendered page contains the listing if the gate's cookie unlocks it.
    setHeaders: (reply) =>
      void hideFromSearch(reply).headers({ 'cache-control': 'no-store', vary: 'Cookie' }),
    submit: async ({ body, ip }) => {
      await subscribe(body, ip);

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

interface NewsletterOptions extends FormPostServices, SchedulingServices {
  readonly database: Database;
  readonly redis: Redis | undefined;
  readonly insightsStates: InsightsStates;
}

/** Routes `POST /api/newsletter-subscriptions` (JSON only) and `POST /newsletter` (the form without JavaScript). */
export async function newsletter(app: FastifyInstance, options: NewsletterOptions): Promise<void> {
  const subscribe = createSubscribe(options);
  await app.register(async (api) => registerApi(api, subscribe));
  await app.register((form) => registerForm(form, options, subscribe));
}

interface NewsletterLinkServices extends SignedActionPageServices {
  readonly database: Database;
}

const LINK_UNAVAILABLE = 'Your subscription can’t be looked up right now. Please try again in a minute.';

/** Routes the pages behind the links that confirm and end a subscription, and their buttons. */
export async function newsletterLinks(app: FastifyInstance, services: NewsletterLinkServices): Promise<void> {
  const { database } = services;
  // The page doesn't show the address, because the mail may be forwarded.
  const makeState = (task: NewsletterLinkState['task'], isDone: boolean) => ({
    newsletterLink: { task, isDone },
  });

  await routeSignedActionPages(app, services, [
    {
      pattern: routePatterns.newsletterConfirmation,
      purpose: 'newsletter-confirm',
      readState: async ({ id, madeAt }) => {
        const subscription = await findSubscription(database, id);
        // After unsubscribing, only links in later mails can confirm.
        if (!subscription || hasUnsubscribedSince(subscription, madeAt)) return undefined;

        return makeState('confirm', isSubscribed(subscription));
      },
      act: ({ id, madeAt }) => confirmSubscription(database, id, madeAt),
      unavailable: LINK_UNAVAILABLE,
    },
    {
      pattern: routePatterns.newsletterUnsubscription,
      purpose: 'newsletter-unsubscribe',
      readState: async ({ id }) => {
        const subscription = await findSubscription(database, id);

        return subscription && makeState('unsubscribe', subscription.unsubscribedAt !== null);
      },
      act: ({ id }) => endSubscription(database, id),
      unavailable: LINK_UNAVAILABLE,
    },
  ]);
}
