import { setTimeout as wait } from 'node:timers/promises';
import { tryWithAdvisoryLock } from '../../shared/node/database/advisory-lock.ts';
import { batchTimeouts, createDatabase, isDatabaseUnavailable } from '../../shared/node/database/database.ts';
import { Second } from '../../shared/time.ts';

/** Any number, the same in every process; spells 'copy'. */
const COPY_LOCK = 0x636f7079;
const POLL_INTERVAL = 1 * Second;

/**
 * Runs `work` once no other process of the site copies to the repository. While PostgreSQL is away it runs at once: the
 * only other one would follow a backup by hand, which needs PostgreSQL, too.
 * @param onWait called once when it has to wait
 * @throws what `work` throws; the signal's reason while it waits
 */
export async function withCopyLock(
  databaseUrl: string,
  work: () => Promise<void>,
  { signal, onWait }: { readonly signal: AbortSignal; readonly onWait: () => void },
): Promise<void> {
  const database = createDatabase(databaseUrl, 'backup', batchTimeouts);
  let underWay: Promise<void> | undefined;
  const start = () => (underWay ??= work());

  try {
    for (let hasWaited = false; !(await tryWithAdvisoryLock(database, COPY_LOCK, start)); hasWaited = true) {
      if (!hasWaited) onWait();
      await wait(POLL_INTERVAL, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
  } finally {
    await database.destroy();
  }
  await start();
}
