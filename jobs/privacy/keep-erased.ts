import { streamSubjects } from '../../shared/node/contact/list-submissions.ts';
import type { Database } from '../../shared/node/database.ts';
import {
  deleteSubscriptions,
  streamSubscriptionSubjects,
} from '../../shared/node/newsletter/forget-subscriptions.ts';
import {
  makeErasureKeys,
  normalizeAddress,
  type ErasureKind,
} from '../../shared/node/privacy/erasure-hash.ts';
import {
  listErasures,
  recordErasures,
  type Erasure,
} from '../../shared/node/privacy/erasure-store.ts';
import { appendToErasureFile, readErasureFile } from './erasure-file.ts';
import { forgetSubmissions } from './forget-submissions.ts';

/** Where it is kept who was erased, and with which keys. */
export interface ErasureSettings {
  readonly linkSecrets: readonly string[];
  readonly privacy: { readonly erasuresDirectory: string };
}

/** What is stored of a person, or was. */
export interface ForgottenCounts {
  readonly submissions: number;
  readonly subscriptions: number;
}

/** By subject, the latest of its erasures. */
function getLatestBySubject(list: readonly Erasure[]): ReadonlyMap<string, Erasure> {
  const bySubject = new Map<string, Erasure>();
  for (const erasure of list) {
    const known = bySubject.get(erasure.subject_hash);
    if (!known || known.erased_at < erasure.erased_at) bySubject.set(erasure.subject_hash, erasure);
  }

  return bySubject;
}

/** Those of `all` that `list` doesn't have, or has with an earlier time. */
function listMissing(all: readonly Erasure[], list: readonly Erasure[]): Erasure[] {
  const known = getLatestBySubject(list);

  return [...getLatestBySubject(all).values()].filter(
    ({ subject_hash: hash, erased_at: at }) => (known.get(hash)?.erased_at ?? 0) < at,
  );
}

/** Tells whether something of a time is of somebody who was erased after it. */
type IsErased = (kind: ErasureKind, subject: string, time: Date) => boolean;

/** What to look for: of erased people, what is older than `before`; the signal ends it. */
interface Search {
  readonly isErased: IsErased;
  readonly before: Date;
  readonly signal: AbortSignal | undefined;
}

function makeIsErased(list: readonly Erasure[], secrets: readonly string[]): IsErased {
  const erasures = getLatestBySubject(list);
  const used = new Set(list.map(({ key_id: id }) => id));
  const keys = makeErasureKeys(secrets).filter(({ id }) => used.has(id));

  return (kind, subject, time) =>
    keys.some(({ hash }) => {
      const erasure = erasures.get(hash(kind, subject));

      return erasure !== undefined && time < erasure.erased_at;
    });
}

function getLatestTime(list: readonly Erasure[]): Date | undefined {
  return list
    .map(({ erased_at: at }) => at)
    .reduce<Date | undefined>((latest, at) => (latest && latest > at ? latest : at), undefined);
}

async function forgetErasedSubmissions(
  database: Database,
  { isErased, before, signal }: Search,
) {
  let count = 0;
  for await (const subjects of streamSubjects(database, before)) {
    signal?.throwIfAborted();
    const ids = subjects
      .filter(
        ({ id, email, receivedAt }) =>
          isErased('email', normalizeAddress(email), receivedAt) ||
          isErased('submission', id, receivedAt),
      )
      .map(({ id }) => id);
    if (ids.length > 0) count += (await forgetSubmissions(database, ids)).length;
  }

  return count;
}

async function forgetErasedSubscriptions(
  database: Database,
  { isErased, before, signal }: Search,
) {
  let count = 0;
  for await (const subjects of streamSubscriptionSubjects(database, before)) {
    signal?.throwIfAborted();
    const ids = subjects
      .filter(({ email, lastAskedAt }) => isErased('email', normalizeAddress(email), lastAskedAt))
      .map(({ id }) => id);
    if (ids.length > 0) count += await deleteSubscriptions(database, ids);
  }

  return count;
}

async function eraseListed(
  database: Database,
  list: readonly Erasure[],
  secrets: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ForgottenCounts> {
  const before = getLatestTime(list);
  if (!before) return { submissions: 0, subscriptions: 0 };
  const search = { isErased: makeIsErased(list, secrets), before, signal };

  return {
    submissions: await forgetErasedSubmissions(database, search),
    subscriptions: await forgetErasedSubscriptions(database, search),
  };
}

/**
 * Erases again what a restored backup has brought back of people who were erased; who wrote again
 * after that stays. The list in the database and the one in the folder get to the same state, since
 * a backup has an older one of either.
 * @param signal ends it between two batches, by throwing its reason
 * @returns how much was there
 * @throws ErasureFileError when the folder can't be used, after everything is erased that the
 *   database knows of; and when the database can't be used
 */
export async function keepErased(
  database: Database,
  { linkSecrets, privacy }: ErasureSettings,
  signal?: AbortSignal,
): Promise<ForgottenCounts> {
  const stored = await listErasures(database);
  const known = await eraseListed(database, stored, linkSecrets, signal);

  const filed = await readErasureFile(privacy.erasuresDirectory);
  const news = listMissing(filed, stored);
  await recordErasures(database, news);
  const learnt = await eraseListed(database, news, linkSecrets, signal);
  await appendToErasureFile(privacy.erasuresDirectory, listMissing(stored, filed));

  return {
    submissions: known.submissions + learnt.submissions,
    subscriptions: known.subscriptions + learnt.subscriptions,
  };
}
