import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import { listSnapshots } from '../repository/repository.ts';
import type { Restic } from '../repository/restic.ts';
import { selectKind } from '../repository/snapshots.ts';
import type { ReceivedLog } from './received-log.ts';

/*
 * A machine, or a volume of it, may be set back to a snapshot. What comes then is another history: added to the log of
 * the former one it could not be restored. So each log's folder has the id of what was stored of it last, in a file.
 */

const FILE = 'stored';

/**
 * Records what was stored of a log.
 * @param id of the snapshot in the repository
 * @throws the file system's errors
 */
export const recordStored = ({ folder }: ReceivedLog, id: string): Promise<void> =>
  // After a power cut an older id would look like a folder that was set back.
  writeFile(join(folder, FILE), id, { mode: 0o600, flush: true });

/** The id; empty before anything was stored, or where the folder was removed meanwhile. */
async function readStored({ folder }: ReceivedLog): Promise<string> {
  try {
    return await readFile(join(folder, FILE), 'utf8');
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return '';
    throw error;
  }
}

/** Tells of logs whether they can go on; of each log that is known once it could be asked for. */
export interface RollbackCheck {
  /**
   * Whether the repository has more of a log than what was stored of its folder: the folder was set back.
   * @throws ResticError, the file system's errors
   */
  readonly wasSetBack: (log: ReceivedLog, signal: AbortSignal) => Promise<boolean>;
}

export function createRollbackCheck(restic: Restic): RollbackCheck {
  const known = new Map<string, boolean>();

  return {
    wasSetBack: async (log, signal) => {
      const before = known.get(log.name);
      if (before !== undefined) return before;
      const stored = await readStored(log);
      // Nothing is asked of a repository that may not be made yet.
      const logs = stored === '' ? [] : selectKind(await listSnapshots(restic, signal), 'wal');
      const newest = logs.find(({ labels }) => labels['log'] === log.name);
      // A process that is killed may have stored once more than it could record. restic may shorten the id it prints.
      const isLast = [newest?.id, newest?.parent].some((id) => id?.startsWith(stored));
      const result = newest !== undefined && !isLast;
      known.set(log.name, result);

      return result;
    },
  };
}
