import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { systemPath } from '../../scripts/prerequisites.ts';
import { findMedian, type Results } from './compare.ts';
import { pinToLoadCore, type PinnedProcess } from './pinned-process.ts';

const run = promisify(execFile);

const summarySchema = v.object({
  requests: v.number(),
  /** Duration in milliseconds. */
  ms: v.number(),
  /** Percentiles of the latency, in milliseconds. */
  p50: v.number(),
  p99: v.number(),
  /** Responses of 400 and above. */
  errors: v.number(),
  /** Connections that failed and requests without a response. */
  failures: v.number(),
});

/** What wrk reports. */
type LoadSummary = v.InferOutput<typeof summarySchema>;

export interface Load {
  readonly url: string;
  readonly seconds: number;
  readonly connections: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether responses of 400 and above are all there should be, or may be some; none by default. */
  readonly errors?: 'all' | 'some' | undefined;
  /** Posts valid contact requests instead of getting the URL. */
  readonly isContact?: boolean;
}

/**
 * Closed loop: each connection sends its next request once it has its response (wrk, one thread).
 * @throws when a response was missing or of an unexpected status
 */
export async function sendLoad(load: Load): Promise<LoadSummary> {
  const { url, seconds, connections, headers = {}, errors } = load;
  const script = join(import.meta.dirname, load.isContact ? 'wrk-contact.lua' : 'wrk-report.lua');
  const [command, args] = pinToLoadCore('wrk', [
    ...['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`],
    ...['--script', script, '--timeout', '30s'],
    ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    url,
  ]);
  const { stdout } = await run(command, args, { env: { ...process.env, PATH: systemPath } });
  const line = stdout.split('\n').find((text) => text.startsWith('{')) ?? '';
  const summary = v.parse(summarySchema, JSON.parse(line));
  const unexpected = errors === 'all' ? summary.requests - summary.errors : summary.errors;
  const isAsExpected = errors === 'some' || unexpected === 0;
  if (summary.requests === 0 || !isAsExpected || summary.failures !== 0) {
    throw new Error(`${url} had unexpected responses: ${line}`);
  }

  return summary;
}

/** What a load cost the server, and its latency. */
export interface LoadResults extends Results {
  readonly perSecond: number;
  /** Processor time of the server for each request, in milliseconds. */
  readonly cpuMs: number;
  readonly p50: number;
  readonly p99: number;
  readonly errorPercent: number;
}

/** Few connections, for long enough to finish what a thousand connections before it left behind. */
const WARM_UP = { seconds: 3, connections: 8 } as const;

/** Warms the server up, sends the load and reads the processor time it took. */
export async function measureLoad(server: PinnedProcess, load: Load): Promise<LoadResults> {
  await sendLoad({ ...load, ...WARM_UP, connections: Math.min(load.connections, WARM_UP.connections) });
  const before = await server.readCpuMs();
  const { requests, ms, p50, p99, errors } = await sendLoad(load);
  const cpuMs = ((await server.readCpuMs()) - before) / requests;

  return { perSecond: requests / (ms / 1000), cpuMs, p50, p99, errorPercent: (100 * errors) / requests };
}

const arrivalsSchema = v.array(v.object({ statuses: v.array(v.number()), waitedMs: v.number() }));

interface Arrivals {
  readonly origin: string;
  readonly perSecond: number;
  readonly seconds: number;
  /** Pages to get in turn; without them contact requests are posted. */
  readonly paths?: readonly string[];
}

/**
 * Open loop: requests leave at a constant rate, whatever the server does, as from visitors who know
 * nothing of each other.
 * @returns latency in milliseconds, from the time a request should have left
 * @throws unless the first response to each is 200 or 201
 */
export async function sendArrivals(arrivals: Arrivals): Promise<{ p50: number; p99: number }> {
  const [command, args] = pinToLoadCore(process.execPath, ['tests/support/load-sender.ts']);
  const { stdout } = await run(command, args, {
    env: { ...process.env, LOAD_PLAN: JSON.stringify(arrivals) },
    maxBuffer: 2 ** 26,
  });
  const sent = v.parse(arrivalsSchema, JSON.parse(stdout));
  const isAccepted = ({ statuses }: { statuses: number[] }) => /^20[01]$/.test(statuses.join());
  if (!sent.every(isAccepted)) throw new Error('A request was not accepted at once.');
  const latencies = sent.map(({ waitedMs }) => waitedMs).sort((one, other) => one - other);

  return { p50: findMedian(latencies), p99: latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN };
}
