import type { Command } from 'commander';
import type { ScheduledDelivery } from '../../shared/deliveries/delivery.ts';
import { findSubmission } from '../../shared/node/contact/contact-submission-store.ts';
import { getSubmissionState } from '../../shared/node/contact/submission-state.ts';
import { createDeliveryPlanner } from '../../shared/node/deliveries/delivery-planner.ts';
import { releaseSubmission } from '../../shared/node/held-requests/held-requests.ts';
import { createResponsePromise } from '../../shared/node/response-promise/response-promise.ts';
import { readIds } from '../cli/arguments.ts';
import { scheduleIfPossible } from '../deliveries/schedule-if-possible.ts';
import { OpsError, withSession, type CommandContext, type Session } from '../cli/session.ts';

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
      terminal.print(`${id} is released: ${deliveries.length} deliveries, due times counted from now.`);
    } else {
      refused += 1;
      terminal.printError(await describeRefusal(session, id));
    }
  }
  await scheduleIfPossible(session, released);
  if (refused > 0) throw new OpsError(`${refused} of ${new Set(ids).size} could not be released.`);
}

/** `submissions release` */
export function addReleaseSubmissions(parent: Command, context: CommandContext): void {
  parent
    .command('release')
    .description('release requests that are held as suspected spam')
    .argument('<id...>', 'ids of the requests', readIds)
    .addHelpText(
      'after',
      '\nExamples:\n  ops submissions list --quarantined' +
        '\n  ops submissions release 0198b7f0-6a3c-7c1e-9d52-3f0a6c1d2e4b',
    )
    .action(withSession(context, release));
}
