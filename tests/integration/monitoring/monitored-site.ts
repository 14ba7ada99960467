import { setUpDeliveries } from '../../support/delivery-fixture.ts';
import { withMetrics } from '../../support/metrics.ts';
import { openWeb, openWorker } from '../../support/open-site.ts';

/** Follow-ups that are due after every test. */
export const LATER = { FOLLOW_UP_REMINDER_AFTER: '20h', FOLLOW_UP_AFTER: '24h' };

/** Starts web and worker, each with a metrics server. */
export async function startBoth(changes: Readonly<Record<string, string>> = {}) {
  const fixture = await setUpDeliveries(changes);
  const web = await withMetrics(fixture.settings);
  const worker = await withMetrics(fixture.settings);
  const { origin } = await openWeb(web.settings);
  await openWorker(worker.settings);

  return { ...fixture, origin, web: web.origin, worker: worker.origin };
}
