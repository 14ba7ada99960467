import type { Database, Transaction } from '../database/database.ts';
import { SiteError } from '../logging/describe-error.ts';
import { getMailboxKey } from '../mail/email-address.ts';

export const SUBSCRIPTIONS = 'newsletter_subscriptions';

export interface SubscriptionRow {
  id: string;
  email: string;
  /** `getMailboxKey` of the address: the limits of mails count all subscriptions of a mailbox. */
  mailbox: string;
  created_at: Date;
  confirmed_at: Date | null;
  unsubscribed_at: Date | null;
}

export interface Subscription {
  readonly id: string;
  readonly email: string;
  readonly confirmedAt: Date | null;
  readonly unsubscribedAt: Date | null;
}

function toSubscription(row: SubscriptionRow): Subscription {
  return {
    id: row.id,
    email: row.email,
    confirmedAt: row.confirmed_at,
    unsubscribedAt: row.unsubscribed_at,
  };
}

/** Whether the newsletter goes to the address: confirmed, and not left since. */
export function isSubscribed({ confirmedAt, unsubscribedAt }: Subscription): boolean {
  return confirmedAt !== null && unsubscribedAt === null;
}

/** The subscription of an address (domain in ASCII), written unless it exists, locked until the transaction ends. */
export async function lockSubscription(
  transaction: Transaction,
  email: string,
): Promise<Subscription> {
  const [row] = await transaction<SubscriptionRow>(SUBSCRIPTIONS)
    .insert({ email, mailbox: getMailboxKey(email) })
    .onConflict('email')
    // An ignored conflict would neither lock nor return the row.
    .merge(['mailbox'])
    .returning('*');
  if (!row) throw new SiteError('PostgreSQL returned no subscription.');

  return toSubscription(row);
}

/** The subscription with an id, or undefined when it is gone. */
export async function findSubscription(
  database: Database,
  id: string,
): Promise<Subscription | undefined> {
  const row = await database<SubscriptionRow>(SUBSCRIPTIONS).where({ id }).first();

  return row && toSubscription(row);
}

/** Whether the owner of the address has unsubscribed after a time. */
export function hasLeftSince({ unsubscribedAt }: Subscription, time: Date): boolean {
  return unsubscribedAt !== null && unsubscribedAt > time;
}

/** Records a confirmation, unless the owner unsubscribed after `askedAt`, when the mail that asked was made. */
export async function confirmSubscription(
  database: Database,
  id: string,
  askedAt: Date,
): Promise<void> {
  await database<SubscriptionRow>(SUBSCRIPTIONS)
    .where({ id })
    .where((open) =>
      open
        .where((fresh) => fresh.whereNull('confirmed_at').whereNull('unsubscribed_at'))
        .orWhere('unsubscribed_at', '<=', askedAt),
    )
    .update({ confirmed_at: database.fn.now(), unsubscribed_at: null });
}

/** Records that the owner of the address unsubscribed; a second call changes nothing. */
export async function endSubscription(database: Database, id: string): Promise<void> {
  await database<SubscriptionRow>(SUBSCRIPTIONS)
    .where({ id })
    .whereNull('unsubscribed_at')
    .update({ unsubscribed_at: database.fn.now() });
}
