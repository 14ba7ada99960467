import {
  inspectErasureLog,
  type ErasureLogState,
  type ErasureLogStatus,
  type ErasureSettings,
} from './erasure-log.ts';
import type { Database } from '../database/database.ts';

/** Why it is not certain who was erased. */
interface ErasureLogProblem {
  readonly status: ErasureLogStatus;
  /** What is wrong, and what to do about it. */
  readonly detail: string;
}

const RESTORE = 'Restore the newest copy of it (in the stack: the volume erasures).';

/** What is wrong with the erasure log, and what to do about it; undefined when it is complete or not begun. */
export function describeErasureLogProblem(
  { status, count, lacking, unknown, damagedLines, code }: ErasureLogState,
  { privacy }: Pick<ErasureSettings, 'privacy'>,
): string | undefined {
  const log = `The erasure log in ${privacy.erasuresDirectory}`;

  switch (status) {
    case 'complete':
    case 'not-begun':
      return undefined;
    case 'missing':
      return `${log} is missing, which is not the same as an empty one. ${RESTORE}`;
    case 'foreign':
      return `${log} doesn't belong to this database: it is another installation's, or newer than the database's first log. ${RESTORE}`;
    case 'damaged':
      return `${log} is damaged: ${damagedLines} of its lines can't be read. ${RESTORE}`;
    case 'older':
      return lacking > 0
        ? `${log} is older than the database: it lacks ${lacking} of ${count} erasures. ${RESTORE}`
        : `${log} is older than the database: it is from before the database's log was begun. ${RESTORE}`;
    case 'unknown-keys':
      return `The secret of ${unknown} of ${count} erasures is missing, a restored backup would bring these people back: add the old secret at the end of COOKIE_SECRET.`;
    case 'unreadable':
      return `${log} can't be used (${code ?? 'unknown'}).`;
  }
}

/** The problem of the current log; undefined when there is none. */
export async function findErasureLogProblem(
  database: Database,
  settings: ErasureSettings,
): Promise<ErasureLogProblem | undefined> {
  const log = await inspectErasureLog(database, settings);
  const detail = describeErasureLogProblem(log, settings);

  return detail === undefined ? undefined : { status: log.status, detail };
}
