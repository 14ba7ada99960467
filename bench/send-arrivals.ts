import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { findMedian, type Figures } from './compare.ts';
import { LOAD_CORE, pinTo } from './pinned-process.ts';

const run = promisify(execFile);

/** All answers of a run, as JSON. */
const MAX_OUTPUT_BYTES = 2 ** 26;

const sentSchema = v.array(v.object({ statuses: v.array(v.number()), waitedMs: v.number() }));

export interface Arrivals {
  readonly origin: string;
  readonly perSecond: number;
  readonly seconds: number;
  /** Pages to ask for in turn; without them requests for assessment are posted. */
  readonly paths?: readonly string[];
}

/** Milliseconds from the time a request should have left to its answer. */
export interface Waits extends Figures {
  readonly p50: number;
  readonly p99: number;
}

/**
 * Sends at a fixed rate, whatever becomes of what was sent before, from the load's core.
 * @throws when anything wasn't taken at once
 */
export async function sendArrivals(arrivals: Arrivals): Promise<Waits> {
  const [command, args] = pinTo(LOAD_CORE, process.execPath, ['tests/support/load-sender.ts']);
  const { stdout } = await run(command, args, {
    env: { ...process.env, LOAD_PLAN: JSON.stringify(arrivals) },
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  const sent = v.parse(sentSchema, JSON.parse(stdout));
  const isTaken = ({ statuses }: { statuses: number[] }) => /^20[01]$/.test(statuses.join());
  if (!sent.every(isTaken)) throw new Error('Something was not taken at once.');
  const waits = sent.map(({ waitedMs }) => waitedMs).sort((one, other) => one - other);

  return { p50: findMedian(waits), p99: waits[Math.floor(waits.length * 0.99)] ?? Number.NaN };
}
