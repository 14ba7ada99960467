import { sourceNames } from '../../shared/contact/submission-source.ts';
import type { Submission } from '../../shared/node/contact/contact-submission-store.ts';
import { getSubmissionState } from '../../shared/node/contact/submission-state.ts';
import type { ListedDelivery } from '../../shared/node/deliveries/list-deliveries.ts';

/** All that is stored about a request, under the names of the database's columns. */
export function toExportedSubmission(
  submission: Submission,
  deliveries: readonly ListedDelivery[],
) {
  return {
    id: submission.id,
    state: getSubmissionState(submission),
    name: submission.name,
    email: submission.email,
    company: submission.company,
    phone: submission.phone,
    industry: submission.industry,
    message: submission.message,
    submitted_at: submission.submittedAt,
    received_at: submission.receivedAt,
    contacted_at: submission.contactedAt,
    quarantined_at: submission.quarantinedAt,
    quarantine_reason: submission.quarantineReason,
    spam_at: submission.spamAt,
    released_at: submission.releasedAt,
    anonymised_at: submission.anonymizedAt,
    source: submission.source,
    deliveries,
  };
}

const plainColumns = [
  ...(['id', 'state', 'name', 'email', 'company', 'phone', 'industry', 'message'] as const),
  ...(['submitted_at', 'received_at', 'contacted_at', 'quarantined_at'] as const),
  ...(['quarantine_reason', 'spam_at', 'released_at', 'anonymised_at'] as const),
];

/** The header of the CSV, which has no deliveries. */
export const csvColumns: readonly string[] = [...plainColumns, ...sourceNames];

/** A request as a row of the CSV. */
export function toCsvCells(submission: Submission): Array<string | null> {
  const exported = toExportedSubmission(submission, []);
  const plain = plainColumns.map((column) => {
    const value = exported[column];

    return value instanceof Date ? value.toISOString() : value;
  });

  return [...plain, ...sourceNames.map((name) => submission.source?.[name] ?? null)];
}
