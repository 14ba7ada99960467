import type { Command } from 'commander';
import { getIndustryLabel } from '../../shared/contact/industry-options.ts';
import {
  findSubmission,
  type Submission,
} from '../../shared/node/contact/contact-submission-store.ts';
import { getSubmissionState } from '../../shared/node/contact/submission-state.ts';
import { listDeliveriesOf } from '../../shared/node/deliveries/list-deliveries.ts';
import { readId } from '../cli/arguments.ts';
import { describeKind, describeLastError, describeRemote } from '../deliveries/describe-delivery.ts';
import { toExportedSubmission } from '../submissions/exported-submission.ts';
import { OpsError, withSession, type Session } from '../cli/session.ts';
import { formatTime, makeSafe, makeSafeLines, say, printTable, toJson } from '../cli/terminal.ts';

function describe(submission: Submission): Array<readonly [string, string | null]> {
  return [
    ['Id', submission.id],
    ['State', getSubmissionState(submission)],
    ['Name', submission.name],
    ['E-mail', submission.email],
    ['Company', submission.company],
    ['Phone', submission.phone],
    ['Industry', submission.industry && getIndustryLabel(submission.industry)],
    ['Submitted (UTC, their clock)', formatTime(submission.submittedAt)],
    ['Received (UTC)', formatTime(submission.receivedAt)],
    ['Contacted (UTC)', formatTime(submission.contactedAt)],
    ['Held as spam (UTC)', formatTime(submission.quarantinedAt)],
    ['Why held', submission.quarantineReason],
    ['Marked as spam (UTC)', formatTime(submission.spamAt)],
    ['Released (UTC)', formatTime(submission.releasedAt)],
    ['Erased (UTC)', formatTime(submission.anonymizedAt)],
    ...Object.entries(submission.source ?? {}),
  ];
}

async function show({ database }: Session, id: string, { json }: { json?: true }): Promise<void> {
  const submission = await findSubmission(database, id);
  if (!submission) throw new OpsError(`There is no request ${id}.`);
  const deliveries = (await listDeliveriesOf(database, [id])).get(id) ?? [];
  if (json) return say(toJson(toExportedSubmission(submission, deliveries), 2));

  for (const [label, value] of describe(submission)) {
    if (value !== null) say(`${`${makeSafe(label)}:`.padEnd(30)}${makeSafe(value)}`);
  }
  if (submission.message !== null) say(`\n${makeSafeLines(submission.message)}\n`);
  printTable(
    ['delivery', 'kind', 'state', 'due (UTC)', 'sent (UTC)', 'tries', 'last error'],
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
    const names = makeSafe(describeRemote(delivery));
    if (names) say(`${describeKind(delivery)} is called on the other side: ${names}`);
  }
}

/** `submissions show` */
export function addShowSubmission(parent: Command): void {
  parent
    .command('show')
    .description('show a request with everything that is done about it')
    .argument('<id>', 'id of the request', readId)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  ops submissions show 0198b7f0-6a3c-7c1e-9d52-3f0a6c1d2e4b')
    .action(withSession(show));
}
