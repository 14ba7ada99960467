import {
  inspectErasureLog,
  type ErasureLogState,
  type ErasureLogStatus,
  type ErasureSettings,
} from '../../shared/node/erasure/erasure-log.ts';
import type { Database } from '../../shared/node/database/database.ts';

/** Why it is not known who was erased. */
export interface ErasureLogFault {
  readonly status: ErasureLogStatus;
  /** What is wrong, and what to do about it. */
  readonly detail: string;
}

const BRING = 'Bring the newest copy of it (in the stack: the volume erasures).';

/** What is wrong with the list of erasures, and what to do about it; undefined when nothing is. */
export function describeLogFault(
  { status, count, lacking, unknown, damagedLines, code }: ErasureLogState,
  { privacy }: Pick<ErasureSettings, 'privacy'>,
): string | undefined {
  const list = `The list of erased people in ${privacy.erasuresDirectory}`;

  switch (status) {
    case 'complete':
    case 'not-begun':
      return undefined;
    case 'missing':
      return `${list} is missing, which is not the same as an empty one. ${BRING}`;
    case 'foreign':
      return `${list} is not known to this database: it is that of another installation, or newer than the database's first list. ${BRING}`;
    case 'damaged':
      return `${list} is damaged: ${damagedLines} of its lines can't be read. ${BRING}`;
    case 'older':
      return lacking > 0
        ? `${list} is older than the database: it lacks ${lacking} of ${count} erasures. ${BRING}`
        : `${list} is older than the database: it is from before the list was begun. ${BRING}`;
    case 'unknown-keys':
      return `The secret of ${unknown} of ${count} is gone, a restored backup would bring them back: add the old one at the end of COOKIE_SECRET.`;
    case 'unreadable':
      return `${list} can't be used (${code ?? 'unknown'}).`;
  }
}

/** The same for the list as it is now. */
export async function findErasureLogFault(
  database: Database,
  settings: ErasureSettings,
): Promise<ErasureLogFault | undefined> {
  const state = await inspectErasureLog(database, settings);
  const detail = describeLogFault(state, settings);

  return detail === undefined ? undefined : { status: state.status, detail };
}
