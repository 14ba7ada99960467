import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { systemPath } from '../../scripts/prerequisites.ts';
import { pinToLoadCore } from './pinned-server.ts';

const run = promisify(execFile);

const summarySchema = v.object({
  requests: v.number(),
  /** Duration in milliseconds. */
  ms: v.number(),
  /** Latency percentiles, in milliseconds. */
  p50: v.number(),
  p99: v.number(),
  /** Responses with status 400 or above. */
  errors: v.number(),
  /** Failed connections and requests that got no response. */
  failures: v.number(),
});

/** The results that wrk reports. */
type LoadSummary = v.InferOutput<typeof summarySchema>;

export interface Load {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Number of connections, 32 by default. */
  readonly connections?: number;
  /** Expects every response to have status 400 or above. By default, no response may. */
  readonly isRefused?: boolean;
  /** Posts valid contact requests instead of getting the URL. */
  readonly isContact?: boolean;
}

/**
 * Runs wrk with one thread. Each connection sends its next request after the previous response.
 * @throws if a response is missing or has an unexpected status
 */
export async function sendLoad(load: Load, seconds: number): Promise<LoadSummary> {
  const { url, headers = {}, connections = 32, isRefused = false, isContact = false } = load;
  const [command, args] = pinToLoadCore('wrk', [
    ...['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`, '--timeout', '30s'],
    ...['--script', join(import.meta.dirname, isContact ? 'wrk-contact.lua' : 'wrk-report.lua')],
    ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    url,
  ]);
  const { stdout } = await run(command, args, { env: { ...process.env, PATH: systemPath } });
  const line = stdout.split('\n').find((text) => text.startsWith('{')) ?? '';
  const summary = v.parse(summarySchema, JSON.parse(line));
  if (summary.failures > 0 || summary.requests === 0 || summary.errors !== (isRefused ? summary.requests : 0)) {
    throw new Error(`${url} had unexpected responses: ${line}`);
  }

  return summary;
}

/** Results of one run, by name. */
export type Results = Readonly<Record<'perSecond' | 'cpuMs' | 'p50' | 'p99', number>>;

const findMedian = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;

/**
 * Interleaves the runs of all targets and reverses their order each time, so a temporary slowdown of the machine
 * affects them all equally.
 * @param runs number of runs per target
 * @returns each result's median, in the same order as the targets
 */
export async function runInterleaved<Target>(
  targets: readonly Target[],
  measure: (target: Target) => Promise<Results>,
  runs: number,
): Promise<Results[]> {
  const results: Results[][] = targets.map(() => []);
  for (let run = 0; run < runs; run += 1) {
    const entries = [...targets.entries()];
    for (const [index, target] of run % 2 === 0 ? entries : entries.reverse()) {
      results[index]?.push(await measure(target));
    }
  }
  const findMedians = (own: readonly Results[]): Results => ({
    perSecond: findMedian(own.map(({ perSecond }) => perSecond)),
    cpuMs: findMedian(own.map(({ cpuMs }) => cpuMs)),
    p50: findMedian(own.map(({ p50 }) => p50)),
    p99: findMedian(own.map(({ p99 }) => p99)),
  });

  return results.map(findMedians);
}
