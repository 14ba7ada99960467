import { mapKinds } from '../../shared/deliveries/delivery.ts';
import { productionTimings, type Timings } from '../../shared/node/config/timings.ts';
import { Hour, Second } from '../../shared/time.ts';

const backOff = { first: 0.3 * Second, cap: 1 * Second };

/** Short waits of a worker for tests. */
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
  // Longer than a test, because most tests count their own mails and no alerts.
  alerts: { sendEvery: 1 * Hour, databaseAwayAfter: 1 * Hour },
  // The alerts of this check would be about the machine that runs the test.
  checks: { first: 1 * Hour, every: 1 * Hour },
  queue: { lockDuration: 2 * Second, stalledInterval: 1 * Second },
};

/** These waits with the changes of WORKER_TIMINGS, as JSON. */
export const readTimings = ({ WORKER_TIMINGS }: Readonly<Record<string, string | undefined>>): Timings => ({
  ...testTimings,
  ...(JSON.parse(WORKER_TIMINGS ?? '{}') as Partial<Timings>),
});
