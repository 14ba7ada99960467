import { mapKinds } from '../../shared/deliveries/delivery.ts';
import { productionTimings, type Timings } from '../../shared/node/config/timings.ts';
import { Hour, Second } from '../../shared/time.ts';

const backOff = { first: 0.3 * Second, cap: 1 * Second };

/** Short worker timings for tests. */
const testTimings: Timings = {
  ...productionTimings,
  lease: 3 * Second,
  attempt: 2 * Second,
  sweep: 0.5 * Second,
  queueCheck: 5 * Second,
  backOff: mapKinds(() => backOff),
  pause: 2 * Second,
  due: 0.2 * Second,
  minInterval: 0.02 * Second,
  alertAfter: 2 * Second,
  // Longer than any test, because most tests count mails and don't expect alerts among them.
  alerts: { sendEvery: 1 * Hour, databaseAwayAfter: 1 * Hour },
  // Longer than any test, because these checks would raise alerts about the machine that runs the test.
  checks: { first: 1 * Hour, every: 1 * Hour },
  queue: { lockDuration: 2 * Second, stalledInterval: 1 * Second },
};

/** Returns the short timings with the changes in WORKER_TIMINGS, a JSON object. */
export const readTimings = ({ WORKER_TIMINGS }: Readonly<Record<string, string | undefined>>): Timings => ({
  ...testTimings,
  ...(JSON.parse(WORKER_TIMINGS ?? '{}') as Partial<Timings>),
});
