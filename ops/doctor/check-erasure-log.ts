import type { Config } from '../../shared/node/config/config.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { readHold } from '../../shared/node/deliveries/delivery-hold.ts';
import { inspectErasureLog, type ErasureLogStatus } from '../../shared/node/erasure/erasure-log.ts';
import { fail, pass, warn, type Check } from '../../shared/node/monitoring/check.ts';
import { describeErasureLogProblem } from '../erasure/describe-erasure-log.ts';

const describeCount = (count: number): string =>
  count === 0 ? 'The erasure log is empty: nobody was erased.' : `${count} on record.`;

/** How a log is completed on a site that wasn't restored, whose database has every erasure. */
function describeFix(status: ErasureLogStatus): readonly string[] {
  if (status === 'unknown-keys') return [];
  const without = status === 'damaged' ? 'Or move the file away:' : 'Without one';

  return [`${without} the worker recreates it from the database, within a day.`];
}

/** Checks that all erased people would be recognized in a restored backup. */
export const checkErasureLog = (database: Database, config: Config): Check => ({
  name: 'erasures',
  run: async () => {
    const log = await inspectErasureLog(database, config);
    if (log.status === 'not-begun') {
      return { state: 'info', detail: 'There is no erasure log yet: the worker creates it at its first start.' };
    }
    const problem = describeErasureLogProblem(log, config);
    if (problem === undefined) return pass(describeCount(log.count));
    // The check of the folder has failed.
    if (log.status === 'unreadable') return { state: 'skip', detail: problem };
    if (await readHold(database)) return fail(`${problem} Until then nothing is released.`);

    return warn([problem, ...describeFix(log.status)].join(' '));
  },
});
