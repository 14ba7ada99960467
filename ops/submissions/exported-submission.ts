import { sourceNames } from '../../shared/contact/submission-source.ts';
import { exportedColumns, type Submission } from '../../shared/node/contact/contact-submission-store.ts';
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

/** What is stored about a request, by column, without hashes and numbers by which the site finds it. */
export const toExportedSubmission = (
  submission: Submission,
  deliveries: readonly ListedDelivery[],
  events: readonly SubmissionEvent[],
) => ({
  ...Object.fromEntries(exportedColumns.map(([column, property]): [string, unknown] => [column, Reflect.get(submission, property)])),
  state: getSubmissionState(submission),
  events: events.map(toExportedEvent),
  deliveries,
});

const [, ...plainColumns] = exportedColumns.map(([column]) => column).filter((column) => column !== 'source');

/** The header of the CSV, which has neither deliveries nor events. */
export const csvColumns: readonly string[] = ['id', 'state', ...plainColumns, ...sourceNames];

function toCell(value: unknown): unknown {
  if (Array.isArray(value)) return value.join(' ');

  return value instanceof Date ? value.toISOString() : value;
}

/** A request as a row of the CSV. */
export function toCsvCells(submission: Submission): readonly unknown[] {
  const values: Readonly<Record<string, unknown>> = { ...submission.source, ...toExportedSubmission(submission, [], []) };

  return csvColumns.map((column) => toCell(values[column]));
}
