import type { Database } from '../../shared/node/database/database.ts';
import { ARCHIVE_SLOT, readSlotUse } from '../../shared/node/database/replication.ts';
import { recordFailure, recordSuccess } from '../../shared/node/files/backup-records.ts';

/** Records in BACKUP_DIR up to when a moment can be restored; each of the archive's tasks says its part. */
export interface ArchiveRecord {
  /** What was received until then is in the repository. */
  readonly setStored: (at: Date) => void;
  /** Undefined before anything was stored by this process. */
  readonly getStoredAt: () => Date | undefined;
  /** Whether the repository has a copy of the server's files from which the received log leads on. */
  readonly setBase: (hasBase: boolean) => void;
  /** A task has failed for a while. */
  readonly setFailed: () => void;
  /**
   * Writes what has changed.
   * @throws the errors of the database and the file system
   */
  readonly write: () => Promise<void>;
}

/** @param folder BACKUP_DIR */
export function createArchiveRecord(database: Database, folder: string): ArchiveRecord {
  let storedAt: Date | undefined;
  let writtenAt: Date | undefined;
  let hasBase = false;
  let hasFailed = false;

  return {
    setStored: (at) => {
      storedAt = at;
    },
    getStoredAt: () => storedAt,
    setBase: (has) => {
      hasBase = has;
    },
    setFailed: () => {
      hasFailed = true;
    },
    write: async () => {
      if (hasFailed) await recordFailure(folder, 'archive');
      hasFailed = false;
      if (!hasBase || storedAt === undefined || storedAt === writtenAt) return;
      const at = storedAt;
      // All that was received may be far from all that there is. The receiver itself doesn't say that it is connected.
      if (!(await readSlotUse(database, ARCHIVE_SLOT))?.isActive) return;
      await recordSuccess(folder, 'archive', at);
      writtenAt = at;
    },
  };
}
