import type { Command } from 'commander';
import type { ScheduledDelivery } from '../../shared/deliveries/delivery.ts';
import { findSubmission, type Submission } from '../../shared/node/contact/contact-submission-store.ts';
import { getSubmissionState } from '../../shared/node/contact/submission-state.ts';
import { createDeliveryPlanner } from '../../shared/node/deliveries/delivery-store.ts';
import { releaseSubmission } from '../../shared/node/held-requests/held-requests.ts';
import { createResponsePromise } from '../../shared/node/response-promise/response-promise.ts';
import { readIds, readId, readLimit, readSince } from '../cli/arguments.ts';
import { scheduleIfPossible } from '../deliveries/schedule-if-possible.ts';
import { OpsError, withSession, type CommandContext, type Session } from '../cli/session.ts';
import { getIndustryLabel } from '../../shared/contact/industry-options.ts';
import {
  countSubmissions,
  listSubmissions,
  type SubmissionFilter,
} from '../../shared/node/contact/list-submissions.ts';
import { listEventsOf } from '../../shared/node/contact/submission-events.ts';
import { describeHistory } from '../../shared/node/follow-up/submission-history.ts';
import { listDeliveriesOf, type ListedDelivery } from '../../shared/node/deliveries/list-deliveries.ts';
import { escapeControls, escapeControlsInLines, formatTime, toJson } from '../cli/terminal.ts';
import { describeKind, describeLastError, describeRemote } from '../deliveries/describe-delivery.ts';
import { addExportSubmissions, toExportedSubmission } from './export-submissions.ts';
import { addEraseSubmissions } from './erase-submissions.ts';

async function describeRefusal({ database }: Session, id: string): Promise<string> {
  const submission = await findSubmission(database, id);

  return submission
    ? `${id} is not held as spam: it is ${getSubmissionState(submission)}.`
    : `There is no request ${id}.`;
}

async function release(session: Session, ids: readonly string[]): Promise<void> {
  const { config, database, terminal } = session;
  const plan = createDeliveryPlanner(createResponsePromise(config.followUp), config.followUp);
  const released: ScheduledDelivery[] = [];
  let refused = 0;

  for (const id of new Set(ids)) {
    const deliveries = await database.transaction(async (transaction) =>
      releaseSubmission(transaction, id, await plan(transaction)),
    );
    if (deliveries) {
      released.push(...deliveries);
      terminal.print(`${id} is released: ${deliveries.length} deliveries, whose times count from now.`);
    } else {
      refused += 1;
      terminal.printError(await describeRefusal(session, id));
    }
  }
  await scheduleIfPossible(session, released);
  if (refused > 0) throw new OpsError(`${refused} of ${new Set(ids).size} could not be released.`);
}

/** Adds the command `submissions release`. */
function addReleaseSubmissions(parent: Command, context: CommandContext): void {
  parent
    .command('release')
    .description('release requests that are held as suspected spam')
    .argument('<id...>', 'ids of the requests', readIds)
    .action(withSession(context, release));
}

interface ListOptions {
  readonly open?: true;
  readonly overdue?: true;
  readonly quarantined?: true;
  readonly since?: Date;
  readonly limit: number;
  readonly json?: true;
}

function countStates(deliveries: readonly ListedDelivery[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { state } of deliveries) counts[state] = (counts[state] ?? 0) + 1;

  return counts;
}

const describeCounts = (counts: Record<string, number>) =>
  Object.entries(counts)
    .map(([state, count]) => `${count} ${state}`)
    .join(', ');

async function list({ config, database, terminal }: Session, options: ListOptions): Promise<void> {
  const { print, printTable } = terminal;
  const filter: SubmissionFilter = {
    ...(options.open && { isOpen: true }),
    ...(options.overdue && { overdueBy: createResponsePromise(config.followUp) }),
    ...(options.quarantined && { isQuarantined: true }),
    ...(options.since && { since: options.since }),
  };
  const submissions = await listSubmissions(database, filter, options.limit);
  const deliveries = await listDeliveriesOf(
    database,
    submissions.map(({ id }) => id),
  );
  const rows = submissions.map((submission) => ({
    id: submission.id,
    received_at: submission.receivedAt,
    company: submission.company,
    industry: submission.industry,
    state: getSubmissionState(submission),
    deliveries: countStates(deliveries.get(submission.id) ?? []),
  }));

  if (options.json) return print(toJson(rows, 2));
  printTable(
    ['id', 'received (UTC)', 'company', 'industry', 'state', 'deliveries'],
    rows.map((row) => [
      row.id,
      formatTime(row.received_at),
      row.company,
      row.industry && getIndustryLabel(row.industry),
      row.state,
      describeCounts(row.deliveries),
    ]),
  );
  const total = await countSubmissions(database, filter);
  print(total > rows.length ? `The newest ${rows.length} of ${total}; --limit shows more.` : `${total} in all.`);
}

function describeSubmission(submission: Submission): Array<readonly [string, string | null]> {
  return [
    ['Id', submission.id],
    ['State', getSubmissionState(submission)],
    ['Name', submission.name],
    ['Email', submission.email],
    ['Address refused our mail (UTC)', formatTime(submission.emailRefusedAt)],
    ['Company', submission.company],
    ['Phone', submission.phone],
    ['Industry', submission.industry && getIndustryLabel(submission.industry)],
    ['Submitted (UTC, unverified)', formatTime(submission.submittedAt)],
    ['Received (UTC)', formatTime(submission.receivedAt)],
    ['Contacted (UTC)', formatTime(submission.contactedAt)],
    ['Assigned to', submission.assignedTo],
    ['Snoozed until (UTC)', formatTime(submission.snoozedUntil)],
    ['Not a fit since (UTC)', formatTime(submission.unfitAt)],
    ['Why not a fit', submission.unfitReason],
    ['Held as spam (UTC)', formatTime(submission.quarantinedAt)],
    ['Why held', submission.quarantineReasons.join() || null],
    ['Marked as spam (UTC)', formatTime(submission.spamAt)],
    ['Released (UTC)', formatTime(submission.releasedAt)],
    ['Erased (UTC)', formatTime(submission.anonymisedAt)],
    ...Object.entries(submission.source ?? {}),
    ['Pages viewed', submission.visitedPaths?.join(', ') ?? null],
  ];
}

async function show({ database, terminal }: Session, id: string, { json }: { json?: true }): Promise<void> {
  const { print, printTable } = terminal;
  const submission = await findSubmission(database, id);
  if (!submission) throw new OpsError(`There is no request ${id}.`);
  const deliveries = (await listDeliveriesOf(database, [id])).get(id) ?? [];
  const events = await listEventsOf(database, id);
  if (json) return print(toJson(toExportedSubmission(submission, deliveries, events), 2));

  for (const [label, value] of describeSubmission(submission)) {
    if (value !== null) print(`${`${escapeControls(label)}:`.padEnd(34)}${escapeControls(value)}`);
  }
  if (submission.message !== null) print(`\n${escapeControlsInLines(submission.message)}\n`);
  for (const { at, what, detail } of describeHistory({ releasedAt: null }, events, [], 'UTC')) {
    print(escapeControls(`${formatTime(at)} ${what} ${detail}`.trimEnd()));
  }
  printTable(
    ['delivery', 'kind', 'state', 'due (UTC)', 'sent (UTC)', 'attempts', 'last error'],
    deliveries.map((delivery) => [
      delivery.id,
      describeKind(delivery),
      delivery.state,
      formatTime(delivery.due_at),
      formatTime(delivery.sent_at),
      delivery.attempts,
      describeLastError(delivery),
    ]),
  );
  for (const delivery of deliveries) {
    const names = escapeControls(describeRemote(delivery));
    if (names) print(`${describeKind(delivery)} recorded as ${names}`);
  }
}

/** Adds the commands `submissions list|show|export|erase|release`. */
export function addSubmissions(program: Command, context: CommandContext): void {
  const parent = program.command('submissions').description('requests of visitors');
  parent
    .command('list')
    .description('list requests, the newest first')
    .option('--open', 'only unanswered ones (neither held as spam nor erased)')
    .option('--overdue', 'only open ones whose answer is overdue (FOLLOW_UP_AFTER)')
    .option('--quarantined', 'only those held as suspected spam')
    .option('--since <time>', 'only those received since a date (2026-11-01) or within a duration (7d)', readSince)
    .option('--limit <number>', 'at most this many', readLimit, 50)
    .option('--json', 'print JSON')
    .action(withSession(context, list));
  parent
    .command('show')
    .description('show a request with its deliveries')
    .argument('<id>', 'id of the request', readId)
    .option('--json', 'print JSON')
    .action(withSession(context, show));
  addExportSubmissions(parent, context);
  addEraseSubmissions(parent, context);
  addReleaseSubmissions(parent, context);
}
