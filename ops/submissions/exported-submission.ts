import { sourceNames } from '../../shared/contact/submission-source.ts';
import type { Submission } from '../../shared/node/contact/contact-submission-store.ts';
import type { SubmissionEvent } from '../../shared/node/contact/submission-events.ts';
import { getSubmissionState } from '../../shared/node/contact/submission-state.ts';
import type { ListedDelivery } from '../../shared/node/deliveries/list-deliveries.ts';

const toExportedEvent = ({ at, by, what, until, details, undoneAt, undoneBy }: SubmissionEvent) => ({
  at,
  by,
  what,
  until,
  from: details.from ?? null,
  to: details.to ?? null,
  reason: details.reason ?? null,
  undone_at: undoneAt,
  undone_by: undoneBy,
});

/**
 * What is stored about a request, under the names of the database's columns; without hashes and numbers by which
 * the site finds it.
 */
export function toExportedSubmission(
  submission: Submission,
  deliveries: readonly ListedDelivery[],
  events: readonly SubmissionEvent[],
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
    quarantine_reason: submission.quarantineReasons.join() || null,
    spam_at: submission.spamAt,
    released_at: submission.releasedAt,
    anonymised_at: submission.anonymizedAt,
    email_refused_at: submission.emailRefusedAt,
    assigned_to: submission.assignedTo,
    snoozed_until: submission.snoozedUntil,
    unfit_at: submission.unfitAt,
    unfit_reason: submission.unfitReason,
    source: submission.source,
    visited_paths: submission.visitedPaths,
    events: events.map(toExportedEvent),
    deliveries,
  };
}

const plainColumns = [
  ...(['id', 'state', 'name', 'email', 'company', 'phone', 'industry', 'message'] as const),
  ...(['submitted_at', 'received_at', 'contacted_at', 'quarantined_at'] as const),
  ...(['quarantine_reason', 'spam_at', 'released_at', 'anonymised_at', 'email_refused_at'] as const),
  ...(['assigned_to', 'snoozed_until', 'unfit_at', 'unfit_reason'] as const),
];

/** The header of the CSV, which has neither deliveries nor events. */
export const csvColumns: readonly string[] = [...plainColumns, ...sourceNames, 'visited_paths'];

/** A request as a row of the CSV. */
export function toCsvCells(submission: Submission): Array<string | null> {
  const exported = toExportedSubmission(submission, [], []);
  const plain = plainColumns.map((column) => {
    const value = exported[column];

    return value instanceof Date ? value.toISOString() : value;
  });

  return [
    ...plain,
    ...sourceNames.map((name) => submission.source?.[name] ?? null),
    submission.visitedPaths?.join(' ') ?? null,
  ];
}
