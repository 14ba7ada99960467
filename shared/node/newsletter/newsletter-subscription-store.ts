import { countRows, type Database, type Transaction, selectInBatches } from '../database/database.ts';
import { SiteError } from '../logging/describe-error.ts';
import { getMailboxKey } from '../mail/email-address.ts';
import { makeMailSinceCondition } from '../deliveries/delivery-table.ts';

export const SUBSCRIPTIONS = 'newsletter_subscriptions';

interface SubscriptionRow {
  id: string;
  email: string;
  /** Result of `getMailboxKey` for the address. Limits apply to all of a mailbox's subscriptions together. */
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

const COLUMNS = ['id', 'email', 'confirmed_at as confirmedAt', 'unsubscribed_at as unsubscribedAt'];

/** Returns whether the address is confirmed and hasn't been unsubscribed. */
export function isSubscribed({ confirmedAt, unsubscribedAt }: Subscription): boolean {
  return confirmedAt !== null && unsubscribedAt === null;
}

/** Locks and returns an address's subscription. Creates it if it doesn't exist. The domain must be in ASCII. */
export async function lockSubscription(
  transaction: Transaction,
  email: string,
): Promise<Subscription> {
  const [subscription] = await transaction(SUBSCRIPTIONS)
    .insert({ email, mailbox: getMailboxKey(email) })
    .onConflict('email')
    // `ignore` would neither lock nor return the row.
    .merge(['mailbox'])
    .returning<Subscription[]>(COLUMNS);
  if (!subscription) throw new SiteError('PostgreSQL returned no subscription.');

  return subscription;
}

/** Returns the subscription; undefined if no subscription has this id. */
export const findSubscription = (database: Database, id: string): Promise<Subscription | undefined> =>
  database(SUBSCRIPTIONS).where({ id }).first<Subscription | undefined>(COLUMNS);

/** Returns whether the address was unsubscribed after the given time. */
export function hasUnsubscribedSince({ unsubscribedAt }: Subscription, time: Date): boolean {
  return unsubscribedAt !== null && unsubscribedAt > time;
}

/** Records a confirmation, unless the address was unsubscribed after the confirmation link was made (`askedAt`). */
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

/** Records that the address was unsubscribed. */
export async function endSubscription(database: Database, id: string): Promise<void> {
  await database<SubscriptionRow>(SUBSCRIPTIONS)
    .where({ id })
    .whereNull('unsubscribed_at')
    .update({ unsubscribed_at: database.fn.now() });
}

/** A subscription as it appears in its owner's data export. */
export type ExportedSubscription = Readonly<SubscriptionRow>;

/** Yields all subscriptions, or only those with the given addresses, in batches. */
export async function* streamSubscriptions(
  database: Database,
  emails?: readonly string[],
): AsyncGenerator<ExportedSubscription[]> {
  yield* selectInBatches<SubscriptionRow>(database, (transaction) => {
    const query = transaction<SubscriptionRow>(SUBSCRIPTIONS).orderBy(['created_at', 'id']).select('*');

    return emails ? query.whereIn('email', [...emails]) : query;
  });
}

/** Yields the subscribed addresses in batches. */
export async function* streamSubscribers(
  database: Database,
): AsyncGenerator<Array<{ readonly email: string; readonly confirmedAt: Date }>> {
  yield* selectInBatches(database, (transaction) =>
    transaction<SubscriptionRow>(SUBSCRIPTIONS)
      .whereNotNull('confirmed_at')
      .whereNull('unsubscribed_at')
      .orderBy(['confirmed_at', 'id'])
      .select('email', 'confirmed_at as confirmedAt'),
  );
}

/** Yields the subscriptions that were last created or confirmed before `before`, in batches. */
export async function* streamSubscriptionSubjects(
  database: Database,
  before: Date,
): AsyncGenerator<Array<{ id: string; email: string; lastAskedAt: Date }>> {
  yield* selectInBatches(database, (transaction) =>
    transaction<SubscriptionRow>(SUBSCRIPTIONS)
      .whereRaw('greatest(created_at, confirmed_at) < ?', [before])
      .select('id', 'email', transaction.raw('greatest(created_at, confirmed_at) as "lastAskedAt"')),
  );
}

/** Deletes subscriptions and their deliveries. Returns the number of subscriptions deleted. */
export async function deleteSubscriptions(
  database: Database,
  ids: readonly string[],
): Promise<number> {
  return database<SubscriptionRow>(SUBSCRIPTIONS).whereIn('id', [...ids]).delete();
}

const CUTOFF = 'now() - make_interval(months => ?)';

/** Selects subscriptions ended, or created but never confirmed, more than `months` ago that got no mail since. */
const selectExpired = (database: Database, months: number) =>
  database<SubscriptionRow>(SUBSCRIPTIONS).whereRaw(
    `(unsubscribed_at < ${CUTOFF} or (confirmed_at is null and unsubscribed_at is null and created_at < ${CUTOFF}))
      and not ${makeMailSinceCondition(CUTOFF)}`,
    [months, months, months],
  );

/** Counts the subscriptions that `deleteExpiredSubscriptions` would delete. */
export const countExpiredSubscriptions = (database: Database, months: number): Promise<number> =>
  countRows(selectExpired(database, months));

/** Deletes the subscriptions that `selectExpired` selects. Returns how many it deleted. */
export const deleteExpiredSubscriptions = async (database: Database, months: number): Promise<number> =>
  selectExpired(database, months).delete();

/** Counts all subscriptions. */
export const countSubscriptions = (database: Database): Promise<number> => countRows(database(SUBSCRIPTIONS));
