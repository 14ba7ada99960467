import type { Database } from '../../shared/node/database/database.ts';
import { readSlotBound } from '../../shared/node/database/replication.ts';
import { runPeriodically } from '../../shared/node/process/run-periodically.ts';
import { Second } from '../../shared/time.ts';
import { OpsError } from '../cli/session.ts';
import { listLogs } from './received-log.ts';
import { measureSince } from './wal-files.ts';

/*
 * While the repository is away the log waits in ARCHIVE_DIR. It must not fill the disk, on which the database may be,
 * so it has the bound that the server has for the slot.
 */

const CHECK_INTERVAL = 5 * Second;

interface ArchiveRoom {
  readonly database: Database;
  /** ARCHIVE_DIR */
  readonly folder: string;
  /** What was received until then is in the repository. */
  readonly getStoredAt: () => Date;
}

/**
 * Checks that more of the log may wait in ARCHIVE_DIR.
 * @throws OpsError when what waits there has reached the server's bound, if it has one; the database's errors
 */
export async function requireRoom({ database, folder, getStoredAt }: ArchiveRoom): Promise<void> {
  const bound = await readSlotBound(database);
  if (bound === undefined) return;
  const storedAt = getStoredAt();
  const sizes = await Promise.all((await listLogs(folder)).map(({ walFolder }) => measureSince(walFolder, storedAt)));
  if (sizes.reduce((sum, size) => sum + size, 0) < bound) return;
  throw new OpsError(
    `ARCHIVE_DIR has as much of the log that BACKUP_REPOSITORY lacks as PostgreSQL would keep (max_slot_wal_keep_size): ` +
      'no more is received until that is stored.',
  );
}

/**
 * Receives while there is room, which there is at first.
 * @throws what `receive` throws, and what `requireRoom` throws meanwhile
 */
export async function receiveWithinRoom(
  room: ArchiveRoom,
  receive: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const full = new AbortController();
  const stop = runPeriodically({
    run: () => requireRoom(room),
    intervalMs: CHECK_INTERVAL,
    initialDelayMs: CHECK_INTERVAL,
    onError: (error) => full.abort(error),
  });

  try {
    await receive(AbortSignal.any([signal, full.signal]));
  } finally {
    await stop();
  }
}
