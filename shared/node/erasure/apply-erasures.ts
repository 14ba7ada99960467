import { streamSubjects } from '../contact/list-submissions.ts';
import type { Database } from '../database/database.ts';
import { normalizeAddress } from '../mail/email-address.ts';
import { deleteSubscriptions, streamSubscriptionSubjects } from '../newsletter/newsletter-subscription-store.ts';
import { eraseSubmissions } from './erase-submissions.ts';
import { readErasureLogFile, synchronizeErasureLog, type ErasureSettings } from './erasure-log.ts';
import {
  getLatestBySubject,
  listErasures,
  listMissing,
  makeErasureKeys,
  type Erasure,
  type ErasureKind,
} from './erasure-store.ts';

export interface ErasedCounts {
  readonly submissions: number;
  readonly subscriptions: number;
}

/** Returns whether data stored at `time` belongs to a subject that was erased later. */
type IsErased = (kind: ErasureKind, subject: string, time: Date) => boolean;

function createErasureTest(list: readonly Erasure[], secrets: readonly string[]): IsErased {
  const erasures = getLatestBySubject(list);
  const used = new Set(list.map(({ key_id: id }) => id));
  const keys = makeErasureKeys(secrets).filter(({ id }) => used.has(id));

  return (kind, subject, time) => {
    const hashed = kind === 'email' ? normalizeAddress(subject) : subject;

    return keys.some(({ hash }) => {
      const erasure = erasures.get(hash(kind, hashed));

      return erasure !== undefined && time < erasure.erased_at;
    });
  };
}

function getLatestTime(list: readonly Erasure[]): Date | undefined {
  return list
    .map(({ erased_at: at }) => at)
    .reduce<Date | undefined>((latest, at) => (latest && latest > at ? latest : at), undefined);
}

/** Erases the matching subjects in batches and returns how many were erased. */
async function eraseMatching<Subject extends { readonly id: string }>(
  batches: AsyncIterable<readonly Subject[]>,
  matches: (subject: Subject) => boolean,
  erase: (ids: readonly string[]) => Promise<number>,
  signal: AbortSignal | undefined,
): Promise<number> {
  let count = 0;
  for await (const subjects of batches) {
    signal?.throwIfAborted();
    const ids = subjects.filter(matches).map(({ id }) => id);
    if (ids.length > 0) count += await erase(ids);
  }

  return count;
}

async function eraseListed(
  database: Database,
  list: readonly Erasure[],
  secrets: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ErasedCounts> {
  const before = getLatestTime(list);
  if (!before) return { submissions: 0, subscriptions: 0 };
  const isErased = createErasureTest(list, secrets);

  return {
    submissions: await eraseMatching(
      streamSubjects(database, before),
      ({ id, email, receivedAt }) => isErased('email', email, receivedAt) || isErased('submission', id, receivedAt),
      async (ids) => (await eraseSubmissions(database, ids)).length,
      signal,
    ),
    subscriptions: await eraseMatching(
      streamSubscriptionSubjects(database, before),
      ({ email, lastAskedAt }) => isErased('email', email, lastAskedAt),
      (ids) => deleteSubscriptions(database, ids),
      signal,
    ),
  };
}

export interface ErasedAgain extends ErasedCounts {
  /** Whether the erasure log file was lost and recreated from the database. */
  readonly wasLogLost: boolean;
}

/** Erases data that a restore brought back. Merges the erasure logs unless there is a hold. Returns the counts. */
export async function applyErasures(
  database: Database,
  settings: ErasureSettings,
  signal?: AbortSignal,
): Promise<ErasedAgain> {
  const { linkSecrets } = settings;
  const stored = await listErasures(database);
  const first = await eraseListed(database, stored, linkSecrets, signal);

  const { erasures } = await readErasureLogFile(settings.privacy.erasuresDirectory);
  const later = await eraseListed(database, listMissing(erasures, stored), linkSecrets, signal);
  const { wasLost } = await synchronizeErasureLog(database, settings);

  return {
    submissions: first.submissions + later.submissions,
    subscriptions: first.subscriptions + later.subscriptions,
    wasLogLost: wasLost,
  };
}
