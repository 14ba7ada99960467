import { inspectErasureLog, type ErasureLogStatus } from '../../shared/node/erasure/erasure-log.ts';
import type { Config } from '../../shared/node/config/config.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { readHold } from '../../shared/node/deliveries/delivery-hold.ts';
import { describeLogFault } from '../erasure/describe-erasure-log.ts';
import type { Check } from './check.ts';

const check = 'erasures';

const describeCount = (count: number): string =>
  count === 0 ? 'The list is empty: nobody was erased.' : `${count} on record.`;

/** What makes the list whole on a site that wasn't restored: its database knows everybody. */
function describeRemedy(status: ErasureLogStatus): readonly string[] {
  if (status === 'unknown-keys') return [];
  const without = status === 'damaged' ? 'Or move the file away:' : 'Without one';

  return [`${without} the worker makes it anew from the database, within a day.`];
}

/** Whether everybody erased would be recognized in a restored backup. */
export const checkErasures = (database: Database, config: Config): Check => ({
  name: check,
  look: async () => {
    const state = await inspectErasureLog(database, config);
    const fault = describeLogFault(state, config);
    if (state.status === 'not-begun') {
      return { check, status: 'info', detail: 'No list is begun yet: the worker does so when it first starts.' };
    }
    if (fault === undefined) return { check, status: 'ok', detail: describeCount(state.count) };
    // The check of the folder names it.
    if (state.status === 'unreadable') return { check, status: 'skip', detail: fault };
    if (await readHold(database)) {
      return { check, status: 'fail', detail: `${fault} Until then nothing is released.` };
    }

    return { check, status: 'warn', detail: [fault, ...describeRemedy(state.status)].join(' ') };
  },
});
