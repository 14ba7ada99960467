import type { Database } from '../database/database.ts';
import { makeMailSinceCondition } from '../deliveries/delivery-table.ts';
import { selectInBatches } from '../database/batches.ts';
import { SUBSCRIPTIONS, type SubscriptionRow } from './newsletter-subscription-store.ts';

/** A subscription as its owner may ask to see it. */
export type ExportedSubscription = Readonly<SubscriptionRow>;

/** Every subscription, or those with one of the addresses given, in batches. */
export async function* streamSubscriptions(
  database: Database,
  emails?: readonly string[],
): AsyncGenerator<ExportedSubscription[]> {
  yield* selectInBatches<SubscriptionRow>(database, (transaction) => {
    const query = transaction<SubscriptionRow>(SUBSCRIPTIONS).orderBy(['created_at', 'id']).select('*');

    return emails ? query.whereIn('email', [...emails]) : query;
  });
}

/** The addresses to which the newsletter goes, in batches. */
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

/** The subscribed addresses that match, as they are spelled in the rows. */
export async function findSubscribedEmails(
  database: Database,
  matches: (email: string) => boolean,
): Promise<string[]> {
  const found: string[] = [];
  const batches = selectInBatches<Pick<SubscriptionRow, 'email'>>(database, (transaction) =>
    transaction<SubscriptionRow>(SUBSCRIPTIONS).select('email'),
  );
  for await (const rows of batches) {
    found.push(...rows.map(({ email }) => email).filter(matches));
  }

  return found;
}

/** Every subscription neither created nor confirmed since `before`, in batches. */
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

/** Deletes subscriptions with the deliveries about them; returns how many there were. */
export async function deleteSubscriptions(
  database: Database,
  ids: readonly string[],
): Promise<number> {
  return database<SubscriptionRow>(SUBSCRIPTIONS).whereIn('id', [...ids]).delete();
}

const CUTOFF = 'now() - make_interval(months => ?)';

/** Unsubscribed or never confirmed, and not asked again to confirm, for so many months. */
const isExpired = (database: Database, months: number) =>
  database<SubscriptionRow>(SUBSCRIPTIONS).whereRaw(
    `(unsubscribed_at < ${CUTOFF} or (confirmed_at is null and unsubscribed_at is null and created_at < ${CUTOFF}))
      and not ${makeMailSinceCondition(CUTOFF)}`,
    [months, months, months],
  );

/** How many subscriptions were cancelled, or created and never confirmed, more than `months` ago. */
export async function countExpiredSubscriptions(
  database: Database,
  months: number,
): Promise<number> {
  const row = await isExpired(database, months).first<{ count: number }>(
    database.raw('count(*)::int as count'),
  );

  return row.count;
}

/** Deletes subscriptions cancelled, or created and never confirmed, more than `months` ago; returns how many. */
export async function deleteExpiredSubscriptions(
  database: Database,
  months: number,
): Promise<number> {
  return isExpired(database, months).delete();
}

/** How many subscriptions there are, in any state. */
export async function countSubscriptions(database: Database): Promise<number> {
  const row = await database<SubscriptionRow>(SUBSCRIPTIONS).first<{ count: number }>(
    database.raw('count(*)::int as count'),
  );

  return row.count;
}
