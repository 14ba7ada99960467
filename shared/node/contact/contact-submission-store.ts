import { contactFieldNames, type ContactFields } from '../../contact/contact-schema.ts';
import type { QuarantineReason } from '../../contact/spam-signals.ts';
import type { SubmissionSource } from '../../contact/submission-source.ts';
import { nowPlusMs, type Database, type Transaction } from '../database/database.ts';
import { IS_HELD } from './submission-state.ts';

export const SUBMISSIONS = 'contact_submissions';

/** A request to insert. The database sets `received_at`. */
export interface NewSubmission extends ContactFields {
  readonly id: string;
  /** By the client's clock; null for the server's time. */
  readonly submittedAt: Date | null;
  /** Fingerprint of the fields. */
  readonly bodyHash: string;
  readonly source: SubmissionSource | null;
  readonly visitedPaths: readonly string[] | null;
  /** Why the request is held as possible spam; undefined if it isn't. */
  readonly quarantineReasons?: readonly QuarantineReason[];
}

export interface SubmissionRow extends ContactFields {
  id: string;
  /** By the client's clock. */
  submitted_at: Date;
  received_at: Date;
  source: SubmissionSource | null;
  visited_paths: readonly string[] | null;
  contacted_at: Date | null;
  anonymised_at: Date | null;
  /** When it was held as possible spam. A held request has no deliveries. */
  quarantined_at: Date | null;
  /** Comma-separated, for writing. The generated column `quarantine_reasons` contains them as an array. */
  quarantine_reason: string | null;
  readonly quarantine_reasons: readonly QuarantineReason[] | null;
  /** When it was marked as spam. It stays held until it is erased. */
  spam_at: Date | null;
  released_at: Date | null;
  /** When the mail server permanently refused the visitor's address. */
  email_refused_at: Date | null;
  /** Address of the salesperson it is assigned to; null if it is unassigned. */
  assigned_to: string | null;
  /** The reminder time sales chose when snoozing the request. */
  snoozed_until: Date | null;
  /** Whether the snooze also delays the due notice. */
  snoozed_past_promise: boolean;
  unfit_at: Date | null;
  unfit_reason: string | null;
  body_hash: string | null;
  /** The mail to sales that lists it as held. */
  held_mail_id: string | null;
}

interface Column<Value> {
  /** The value that an erasure sets. If omitted, an erasure leaves the column unchanged. */
  readonly erased?: Value;
  /** Exports omit the column. */
  readonly isInternal?: true;
}

/** All columns, in export order. The address that an erasure sets can't receive mail (RFC 2606). */
export const submissionColumns: { readonly [Name in keyof SubmissionRow]: Column<SubmissionRow[Name]> } = {
  id: {},
  name: { erased: 'erased' },
  email: { erased: 'erased@invalid.example' },
  company: { erased: 'erased' },
  phone: { erased: null },
  industry: { erased: null },
  message: { erased: null },
  submitted_at: {},
  received_at: {},
  contacted_at: {},
  quarantined_at: {},
  quarantine_reason: { erased: null },
  spam_at: {},
  released_at: {},
  anonymised_at: {},
  email_refused_at: {},
  assigned_to: { erased: null },
  snoozed_until: {},
  snoozed_past_promise: {},
  unfit_at: {},
  unfit_reason: { erased: null },
  source: { erased: null },
  visited_paths: { erased: null },
  body_hash: { erased: null, isInternal: true },
  held_mail_id: { isInternal: true },
  quarantine_reasons: { isInternal: true },
};

export const columnNames = Object.keys(submissionColumns) as ReadonlyArray<keyof SubmissionRow>;

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : Name;

const toCamelCase = (name: string): string => name.replace(/_./g, ([, letter = '']) => letter.toUpperCase());

export type Submission = {
  readonly [Name in keyof SubmissionRow as CamelCase<Name>]: SubmissionRow[Name];
} & { readonly quarantineReasons: readonly QuarantineReason[] };

const properties = columnNames.map((name) => [name, toCamelCase(name)] as const);

export const toSubmission = (row: SubmissionRow): Submission =>
  Object.fromEntries([
    ...properties.map(([column, property]) => [property, row[column]]),
    ['quarantineReasons', row.quarantine_reasons ?? []],
  ]) as Submission;

/** The exported columns, each paired with its `Submission` property. */
export const exportedColumns = properties.filter(([column]) => !submissionColumns[column].isInternal);

/** A constant, because having Knex build the query for every request is slower. */
const INSERT_IF_ABSENT = `insert into ${SUBMISSIONS} (
    id, ${contactFieldNames.join(', ')}, submitted_at, body_hash, source, visited_paths,
    quarantined_at, quarantine_reason
  ) values (
    ?, ${contactFieldNames.map(() => '?').join(', ')}, coalesce(?, now()), ?, ?, ?::jsonb, case when ? then now() end, ?
  ) on conflict (id) do nothing returning id`;

/** Returns a query that inserts a request unless its id already exists. The query returns a row if it inserted one. */
export const insertIfAbsent = (transaction: Transaction, submission: NewSubmission) =>
  transaction.raw<{ rows: unknown[] }>(INSERT_IF_ABSENT, [
    submission.id,
    ...contactFieldNames.map((name) => submission[name]),
    submission.submittedAt,
    submission.bodyHash,
    submission.source,
    // pg would send an array as a PostgreSQL array, not as JSON.
    submission.visitedPaths && JSON.stringify(submission.visitedPaths),
    submission.quarantineReasons !== undefined,
    submission.quarantineReasons?.join() ?? null,
  ]);

/** Inserts the request unless its id already exists. Returns whether it was inserted. */
export async function insertSubmission(
  transaction: Transaction,
  submission: NewSubmission,
): Promise<boolean> {
  const { rows } = await insertIfAbsent(transaction, submission);

  return rows.length === 1;
}

/** Returns a request's fingerprint; undefined if no request has this id. */
export async function findBodyHash(
  database: Database | Transaction,
  id: string,
): Promise<string | null | undefined> {
  const row = await database<SubmissionRow>(SUBMISSIONS).where({ id }).first('body_hash');

  return row?.body_hash;
}

/** Returns the id of the newest request with the same content in the last `withinMs` ms. For forms without an id. */
export async function findRecentRepeat(
  database: Database | Transaction,
  bodyHash: string,
  withinMs: number,
): Promise<string | undefined> {
  const row = await database<SubmissionRow>(SUBMISSIONS)
    .where({ body_hash: bodyHash })
    .where('received_at', '>', nowPlusMs(database, -withinMs))
    .orderBy('received_at', 'desc')
    .first('id');

  return row?.id;
}

/** Returns the request; undefined if no request has this id. */
export async function findSubmission(
  database: Database | Transaction,
  id: string,
): Promise<Submission | undefined> {
  const row = await database<SubmissionRow>(SUBMISSIONS).where({ id }).first();

  return row && toSubmission(row);
}

/** Like `findSubmission`, but locks the row for the transaction. Others can still insert rows that reference it. */
export async function lockSubmission(
  transaction: Transaction,
  id: string,
): Promise<Submission | undefined> {
  const row = await transaction<SubmissionRow>(SUBMISSIONS).where({ id }).forNoKeyUpdate().first();

  return row && toSubmission(row);
}

/** Records that the mail server refused the visitor's address. */
export async function markEmailRefused(database: Database, id: string): Promise<void> {
  await database<SubmissionRow>(SUBMISSIONS)
    .where({ id })
    .whereNull('email_refused_at')
    .update({ email_refused_at: database.fn.now() });
}

/** Releases a request from quarantine. Returns the reasons it was held; undefined if it wasn't held. */
export async function clearQuarantine(
  transaction: Transaction,
  id: string,
): Promise<readonly QuarantineReason[] | undefined> {
  const [row] = await transaction<SubmissionRow>(SUBMISSIONS)
    .where({ id })
    .whereRaw(IS_HELD)
    .update({ quarantined_at: null, spam_at: null, released_at: transaction.fn.now() })
    .returning('quarantine_reasons');

  return row && (row.quarantine_reasons ?? []);
}

/** Adds the reason `restored` to requests that were already held at `since` and still are. */
export async function recordRestoredQuarantine(transaction: Transaction, since: Date): Promise<void> {
  await transaction<SubmissionRow>(SUBMISSIONS)
    .whereRaw(IS_HELD)
    .where('quarantined_at', '<=', since)
    .whereRaw("array_position(quarantine_reasons, 'restored') is null")
    .update({ quarantine_reason: transaction.raw("concat_ws(',', quarantine_reason, 'restored')") });
}
