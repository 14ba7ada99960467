import type { Command } from 'commander';
import { getIndustryLabel } from '../../shared/contact/industry-options.ts';
import { countSubmissions, listSubmissions, type SubmissionFilter } from '../../shared/node/contact/list-submissions.ts';
import { getSubmissionState } from '../../shared/node/contact/submission-state.ts';
import { listDeliveriesOf, type ListedDelivery } from '../../shared/node/deliveries/list-deliveries.ts';
import { readLimit, readSince } from '../cli/arguments.ts';
import { withSession, type Session } from '../cli/session.ts';
import { formatTime, say, printTable, toJson } from '../cli/terminal.ts';

interface Options {
  readonly open?: true;
  readonly overdue?: true;
  readonly quarantined?: true;
  readonly since?: Date;
  readonly limit: number;
  readonly json?: true;
}

/** How many deliveries are in which state. */
function countStates(deliveries: readonly ListedDelivery[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { state } of deliveries) counts[state] = (counts[state] ?? 0) + 1;

  return counts;
}

const describeCounts = (counts: Record<string, number>) =>
  Object.entries(counts)
    .map(([state, count]) => `${count} ${state}`)
    .join(', ');

async function list({ config, database }: Session, options: Options): Promise<void> {
  const filter: SubmissionFilter = {
    ...(options.open && { isOpen: true }),
    ...(options.overdue && { overdueAfter: config.followUp.dueAfter }),
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

  if (options.json) return say(toJson(rows, 2));
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
  say(total > rows.length ? `The newest ${rows.length} of ${total}; --limit shows more.` : `${total} in all.`);
}

/** `submissions list` */
export function addListSubmissions(parent: Command): void {
  parent
    .command('list')
    .description('list requests, the newest first')
    .option('--open', 'only those nobody has answered (neither held as spam nor erased)')
    .option('--overdue', 'only open ones whose answer was due before now (FOLLOW_UP_AFTER)')
    .option('--quarantined', 'only those held as suspected spam')
    .option('--since <time>', 'only those received since a date (2026-11-01) or a while (7d)', readSince)
    .option('--limit <number>', 'at most so many', readLimit, 50)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  ops submissions list --open\n  ops submissions list --since 7d --json')
    .action(withSession(list));
}
