import type { FastifyInstance } from 'fastify';
import type { Database } from '../../shared/node/database/database.ts';
import {
  confirmSubscription,
  endSubscription,
  findSubscription,
  hasLeftSince,
  isSubscribed,
} from '../../shared/node/newsletter/newsletter-subscription-store.ts';
import { routePatterns } from '../../shared/paths.ts';
import type { NewsletterLinkState } from '../../shared/page-state.ts';
import { routeSignedActionPages, type SignedActionPageServices } from '../pages/signed-action-pages.ts';

interface NewsletterLinkServices extends SignedActionPageServices {
  readonly database: Database;
}

const UNAVAILABLE = 'Your subscription can’t be looked up right now. Please try again in a minute.';

/** The pages behind the links that confirm and end a subscription, and their effects. */
export async function newsletterLinks(app: FastifyInstance, services: NewsletterLinkServices): Promise<void> {
  const { database } = services;
  // The address stays out of the page: the mail, and with it the link, may be passed on.
  const makeState = (task: NewsletterLinkState['task'], isDone: boolean) => ({
    newsletterLink: { task, isDone },
  });

  await routeSignedActionPages(app, services, [
    {
      pattern: routePatterns.newsletterConfirmation,
      purpose: 'newsletter-confirm',
      readState: async ({ id, madeAt }) => {
        const subscription = await findSubscription(database, id);
        // Whoever has unsubscribed since then confirms with the link of a later mail.
        if (!subscription || hasLeftSince(subscription, madeAt)) return undefined;

        return makeState('confirm', isSubscribed(subscription));
      },
      act: ({ id, madeAt }) => confirmSubscription(database, id, madeAt),
      unavailable: UNAVAILABLE,
    },
    {
      pattern: routePatterns.newsletterUnsubscription,
      purpose: 'newsletter-unsubscribe',
      readState: async ({ id }) => {
        const subscription = await findSubscription(database, id);

        return subscription && makeState('unsubscribe', subscription.unsubscribedAt !== null);
      },
      act: ({ id }) => endSubscription(database, id),
      unavailable: UNAVAILABLE,
    },
  ]);
}
