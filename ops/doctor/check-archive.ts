import type { Config } from '../../shared/node/config/config.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { ARCHIVE_SLOT, readSlotUse } from '../../shared/node/database/replication.ts';
import { readSuccess } from '../../shared/node/files/backup-records.ts';
import { pass, warn, type Check } from '../../shared/node/monitoring/check.ts';
import { MAX_ARCHIVE_AGE, MAX_RETAINED_LOG } from '../../shared/node/monitoring/read-installation.ts';
import { isRecent } from '../../shared/time.ts';
import { formatTime } from '../cli/terminal.ts';

const ADVICE = `Where there is to be none any more, run select pg_drop_replication_slot('${ARCHIVE_SLOT}').`;

/** Checks that the archive has everything, and that PostgreSQL keeps no log for one that is no more; none without either. */
export const checkArchive = (database: Database, { backup }: Config): Check => ({
  name: 'archive',
  run: async () => {
    const last = await readSuccess(backup.directory, 'archive');
    const slot = await readSlotUse(database, ARCHIVE_SLOT);
    const retained = slot?.retainedBytes ?? 0;
    if (retained > MAX_RETAINED_LOG) {
      return warn(
        `PostgreSQL keeps ${Math.floor(retained / 1024 ** 2)} MB of its log for an archive that doesn't receive it: does the backup service run? ${ADVICE}`,
      );
    }
    if (!last) {
      return slot && !slot.isActive ? warn(`PostgreSQL keeps its log for an archive that was not started. ${ADVICE}`) : [];
    }
    const at = last.succeeded_at;
    if (!at) return warn('The archive has failed since its start: what does the backup service log?');
    if (!isRecent(at, MAX_ARCHIVE_AGE, new Date())) {
      return warn(`The archive has everything up to ${formatTime(at)} UTC only: does the backup service run, and what does it log?`);
    }

    return pass(`The archive has everything up to ${formatTime(at)} UTC.`);
  },
});
