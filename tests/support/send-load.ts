import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { processEnvironment } from './process-environment.ts';

/** What a sender sends: requests for assessment, or those pages, at a fixed rate. */
export interface LoadPlan {
  readonly origin: string;
  readonly perSecond: number;
  readonly seconds: number;
  /** Each so manieth request repeats the one before it, with its key. */
  readonly repeatEvery?: number;
  readonly paths?: readonly string[];
}

export interface SentRequest {
  /** The request's id, or the page's path. */
  readonly id: string;
  /** Of each try; 0 for one that had no response. */
  readonly statuses: readonly number[];
  /** From the time at which it should have left to the last response. */
  readonly waitedMs: number;
}

/** Sends it all from another process, which ends with the test. @throws when that fails */
export async function sendLoad(plan: LoadPlan): Promise<readonly SentRequest[]> {
  const sender = spawn(process.execPath, ['tests/support/load-sender.ts'], {
    env: { ...processEnvironment, LOAD_PLAN: JSON.stringify(plan) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void sender.kill());
  const [output, [code]] = await Promise.all([text(sender.stdout), once(sender, 'exit')]);
  if (code !== 0) throw new Error(`The sender ended with ${String(code)}.`);

  return JSON.parse(output) as SentRequest[];
}

/** The value that so many hundredths of the others don't exceed. */
function getPercentile(sorted: readonly number[], hundredths: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * hundredths) / 100))] ?? 0;
}

/** One line for people: how many, and how long they waited. Times depend on the machine. */
export function describeLoad(what: string, sent: readonly SentRequest[]): string {
  const waits = sent.map(({ waitedMs }) => waitedMs).sort((a, b) => a - b);
  const [p50, p99, most] = [getPercentile(waits, 50), getPercentile(waits, 99), waits.at(-1) ?? 0];
  const retried = sent.filter(({ statuses }) => statuses.length > 1).length;

  return (
    `${what}: ${sent.length} sent, ${retried} tried again, ` +
    `p50 ${Math.round(p50)} ms, p99 ${Math.round(p99)} ms, longest ${Math.round(most)} ms\n`
  );
}
