import { SUBMISSIONS, type Submission } from '../contact/contact-submission-store.ts';
import { streamSubmissions, type SubmissionFilter } from '../contact/list-submissions.ts';
import { selectInBatches, type Database } from '../database/database.ts';
import { readHold } from '../deliveries/delivery-hold.ts';
import { SiteError } from '../logging/describe-error.ts';
import { listAddressForms, normalizeAddress } from '../mail/email-address.ts';
import {
  deleteSubscriptions,
  streamSubscriptions,
  SUBSCRIPTIONS,
  type ExportedSubscription,
} from '../newsletter/newsletter-subscription-store.ts';
import type { ErasedCounts } from './apply-erasures.ts';
import { eraseSubmissions } from './erase-submissions.ts';
import { appendToErasureLogFile, inspectErasureLog, type ErasureSettings } from './erasure-log.ts';
import { makeErasureKeys, readErasureTime, recordErasures, type Erasure } from './erasure-store.ts';
import { findClockDifference } from './matching-clocks.ts';

/** What to search for or erase: all data stored for an address, or one request. */
export type Subject = { readonly email: string } | { readonly id: string };

export interface StoredData {
  readonly submissions: readonly Submission[];
  readonly subscriptions: readonly ExportedSubscription[];
}

async function collect<Item>(batches: AsyncIterable<readonly Item[]>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const batch of batches) items.push(...batch);

  return items;
}

/** Returns all spellings under which an address's requests and subscriptions may be stored. */
export async function findSpellings(database: Database, email: string): Promise<string[]> {
  const address = normalizeAddress(email);
  const spellings = new Set<string>(listAddressForms(email));
  for (const table of [SUBMISSIONS, SUBSCRIPTIONS]) {
    const batches = selectInBatches<{ email: string }>(database, (transaction) => transaction(table).select('email'));
    for await (const rows of batches) {
      for (const row of rows) if (normalizeAddress(row.email) === address) spellings.add(row.email);
    }
  }

  return [...spellings];
}

/** Returns everything stored about a subject. An erased request can only be found by its id. */
export async function findStoredData(database: Database, subject: Subject): Promise<StoredData> {
  const emails = 'email' in subject ? await findSpellings(database, subject.email) : [];
  const filter: SubmissionFilter = 'email' in subject ? { emails } : { id: subject.id };

  return {
    submissions: await collect(streamSubmissions(database, filter)),
    subscriptions:
      'email' in subject ? await collect(streamSubscriptions(database, emails)) : [],
  };
}

function makeErasure(subject: Subject, secrets: readonly string[], erasedAt: Date): Erasure {
  const [key] = makeErasureKeys(secrets);
  if (!key) throw new SiteError('There is no secret to hash with.');
  const [kind, text] =
    'email' in subject
      ? (['email', normalizeAddress(subject.email)] as const)
      : (['submission', subject.id] as const);

  return {
    subject_hash: key.hash(kind, text),
    subject_kind: kind,
    key_id: key.id,
    erased_at: erasedAt,
  };
}

/** Returns whether the file may be appended to. During a hold, it must be the complete erasure log of this database. */
const mayAppendToLog = async (database: Database, settings: ErasureSettings): Promise<boolean> =>
  !(await readHold(database)) || (await inspectErasureLog(database, settings)).status !== 'incomplete';

export interface ErasedSubject extends ErasedCounts {
  readonly data: StoredData;
  /** Whether the file contains the erasure. If not, ending the hold adds it. */
  readonly isFiled: boolean;
}

/** Erases a subject. First records the erasure in the file and the database, so it survives a crash or a restore. */
export async function eraseSubject(
  database: Database,
  settings: ErasureSettings,
  subject: Subject,
): Promise<ErasedSubject> {
  // An erasure dated in the future would also erase data written before that date.
  const clockError = await findClockDifference(database);
  if (clockError) throw clockError;
  const erasedAt = await readErasureTime(database);
  const erasures = [makeErasure(subject, settings.linkSecrets, erasedAt)];
  const isFiled = await mayAppendToLog(database, settings);
  if (isFiled) await appendToErasureLogFile(settings.privacy.erasuresDirectory, { logIds: [], erasures });
  await recordErasures(database, erasures);

  const data = await findStoredData(database, subject);
  const anonymized = await eraseSubmissions(
    database,
    data.submissions.map(({ id }) => id),
  );
  const deleted = await deleteSubscriptions(
    database,
    data.subscriptions.map(({ id }) => id),
  );

  return { submissions: anonymized.length, subscriptions: deleted, data, isFiled };
}
