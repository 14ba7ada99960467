import type { PlannedDelivery } from '../../shared/deliveries/delivery.ts';
import { lockInTransaction } from '../../shared/node/database/advisory-lock.ts';
import type { Database } from '../../shared/node/database/database.ts';
import {
  hasEnoughNewsletterMails,
  insertDeliveries,
} from '../../shared/node/deliveries/delivery-store.ts';
import { getMailboxKey } from '../../shared/node/mail/email-address.ts';
import {
  isSubscribed,
  lockSubscription,
} from '../../shared/node/newsletter/newsletter-subscription-store.ts';
import type { NewsletterRequest } from '../../shared/newsletter/newsletter-request.ts';
import type { Redis } from '../../shared/node/redis/connections.ts';
import { Hour, Minute } from '../../shared/time.ts';
import { createClientLimits, type ClientLimits } from '../rate-limits/client-limits.ts';
import { scheduleInBackground, type SchedulingServices } from '../deliveries/schedule-in-background.ts';
import { writeWithRetry } from '../http/database-timeout.ts';

/**
 * How often one client and one network may ask, whatever the addresses typed are: each may be somebody
 * else's, who gets mail from us unasked.
 */
const perClient = { name: 'newsletter-client', count: 10, windowMs: 10 * Minute };
const perNetwork = { name: 'newsletter-network', count: 20, windowMs: 1 * Hour };

/** Least time between two mails to a mailbox, and the most in a day, so that no mailbox is flooded. */
const mailLimits = { pauseMs: 10 * Minute, perDay: 3 } as const;

const UNAVAILABLE = 'We can’t store your address right now. Please try again in a minute.';

const plan: readonly PlannedDelivery[] = [{ kind: 'newsletter', stage: null, dueAfter: 0 }];

export const createSubscriptionLimits = (redis: Redis | undefined): ClientLimits =>
  createClientLimits(redis, perClient, perNetwork);

export interface NewsletterServices extends SchedulingServices {
  readonly database: Database;
  readonly limits: ClientLimits;
}

/** Writes the subscription unless it is known, and the mail that asks to confirm it if one is due. */
function writeSubscription(database: Database, email: string) {
  return database.transaction(async (transaction) => {
    const mailbox = getMailboxKey(email);
    await lockInTransaction(transaction, `newsletter ${mailbox}`);
    const subscription = await lockSubscription(transaction, email);
    const subject = { subscriptionId: subscription.id };
    const isMailed = await hasEnoughNewsletterMails(transaction, mailbox, mailLimits, subscription.unsubscribedAt);

    return isMailed || isSubscribed(subscription)
      ? []
      : insertDeliveries(transaction, subject, plan);
  });
}

/**
 * Accepts a request for the newsletter; no response shows whether the address was known. So every
 * request counts towards the limits, also one that stores nothing.
 * @throws AppError rate-limited or unavailable
 */
export async function acceptSubscription(
  services: NewsletterServices,
  { email }: NewsletterRequest,
  client: string,
): Promise<void> {
  const { database, limits } = services;
  const refund = await limits.consume(client);

  try {
    const scheduled = await writeWithRetry(() => writeSubscription(database, email), UNAVAILABLE);
    scheduleInBackground(services, scheduled);
  } catch (error) {
    await refund();
    throw error;
  }
}
