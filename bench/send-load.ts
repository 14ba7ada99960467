import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { systemPath } from '../scripts/prerequisites.ts';
import { LOAD_CORE, pinTo } from './pinned-process.ts';

const run = promisify(execFile);

const reportSchema = v.object({
  requests: v.number(),
  /** Time they took together, in milliseconds. */
  ms: v.number(),
  /** Milliseconds that half of the requests, and 99 of 100, waited at most. */
  p50: v.number(),
  p99: v.number(),
  /** Answers of 400 and above. */
  refused: v.number(),
  /** Connections that failed and requests without an answer. */
  broken: v.number(),
});

/** What one run of wrk saw. */
export type LoadReport = v.InferOutput<typeof reportSchema>;

export interface Load {
  readonly url: string;
  readonly seconds: number;
  readonly connections: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Answers that are errors elsewhere, such as the not-found page's. */
  readonly expectsRefusal?: boolean;
  /** So many at once that some may be refused; the report says how many were. */
  readonly mayBeRefused?: boolean;
  /** A script for wrk that makes the requests, in `bench/`. */
  readonly script?: string;
}

/**
 * Asks for one address again and again over so many connections, each with its next request once it
 * has its answer, from a core of its own.
 * @throws when an answer was missing or not of the kind expected
 */
export async function sendLoad(load: Load): Promise<LoadReport> {
  const { url, seconds, connections, headers = {}, expectsRefusal, mayBeRefused } = load;
  const script = join(import.meta.dirname, load.script ?? 'wrk-report.lua');
  const [command, args] = pinTo(LOAD_CORE, 'wrk', [
    ...['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`],
    ...['--script', script, '--timeout', '30s'],
    ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    url,
  ]);
  const { stdout } = await run(command, args, { env: { ...process.env, PATH: systemPath } });
  const line = stdout.split('\n').find((text) => text.startsWith('{')) ?? '';
  const report = v.parse(reportSchema, JSON.parse(line));
  const refusals = expectsRefusal ? report.requests - report.refused : report.refused;
  const isAsExpected = mayBeRefused || refusals === 0;
  if (report.requests === 0 || !isAsExpected || report.broken !== 0) {
    throw new Error(`${url} was not answered as expected: ${line}`);
  }

  return report;
}
