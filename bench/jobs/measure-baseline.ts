import { Minute } from '../../shared/time.ts';
import { waitFor } from '../../tests/support/wait-for.ts';
import { startPinned } from '../pinned-process.ts';
import type { Rate } from './rate.ts';
import type { Site } from './servers.ts';

/** What is compared with deliveries: the mail alone, the event alone, and a job that does nothing. */
export type BaselineName = 'mails' | 'events' | 'jobs';

export interface BaselineRun {
  readonly name: BaselineName;
  readonly count: number;
  readonly warmUp: number;
}

/** Measures a baseline in a process of its own on the server's core. @throws when it fails */
export async function measureBaseline(site: Site, run: BaselineRun): Promise<Rate> {
  await site.emptyQueues();
  const baseline = startPinned(
    ['bench/jobs/baseline-entry.ts', run.name, String(run.count), String(run.warmUp)],
    site.settings,
  );
  try {
    await waitFor('the baseline', baseline.hasExited, 5 * Minute);

    return JSON.parse(baseline.output()) as Rate;
  } catch (error) {
    throw new Error(`The baseline ${run.name} failed: ${baseline.output()}`, { cause: error });
  } finally {
    await baseline.stop();
  }
}
