import type { Command } from 'commander';
import { countOpenSubmissions } from '../../shared/node/contact/list-submissions.ts';
import { countUnfinishedGroups } from '../../shared/node/deliveries/list-deliveries.ts';
import { needsAttention, runChecks, type CheckResult } from '../../shared/node/monitoring/check.ts';
import { readFilesVersion } from '../../shared/node/monitoring/image.ts';
import { siteChecks } from '../../shared/node/monitoring/installation-checks.ts';
import { createResponsePromise } from '../../shared/node/response-promise/response-promise.ts';
import { withSession, type CommandContext, type Session } from '../cli/session.ts';
import { escapeControls } from '../cli/terminal.ts';

/** Returns the number of unfinished deliveries by kind, such as `{ 'follow-up': 9 }`. */
async function countUnfinished({ database }: Session): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const { kind, state, count } of await countUnfinishedGroups(database)) {
    if (state !== 'dead') counts[kind] = (counts[kind] ?? 0) + count;
  }

  return counts;
}

const formatLine = (label: string, text: string, mark = ' '): string =>
  `${mark} ${label.padEnd(20)} ${escapeControls(text)}`;

const formatResult = (result: CheckResult): string =>
  formatLine(result.check, result.detail, needsAttention(result) ? '!' : ' ');

async function printStatus(session: Session): Promise<void> {
  const { config, database, terminal } = session;
  const [version, requests, deliveries, results] = await Promise.all([
    readFilesVersion(),
    countOpenSubmissions(database, createResponsePromise(config.followUp)),
    countUnfinished(session),
    runChecks(siteChecks.map(({ name, find }) => ({ name, run: () => find({ config, database }) }))),
  ]);
  const { open, overdue, held } = requests;
  const unfinished = Object.entries(deliveries).map(([kind, count]) => `${kind} ${count}`);
  terminal.print(formatLine('version', `${version} on Node.js ${process.versions.node}`));
  terminal.print(
    formatLine(
      'requests',
      `${open} unanswered, ${overdue} of them overdue, ${held} held as possible spam`,
      overdue > 0 ? '!' : ' ',
    ),
  );
  terminal.print(formatLine('deliveries', unfinished.join(', ') || 'none'));
  for (const result of results) terminal.print(formatResult(result));
}

/** Adds the command `status`. */
export function addStatus(program: Command, context: CommandContext): void {
  program
    .command('status')
    .description('show open requests, unfinished deliveries and the results of the checks on one screen')
    .addHelpText('after', '\nA line that starts with ! needs attention. `ops doctor` says what to do.')
    .action(withSession(context, printStatus));
}
