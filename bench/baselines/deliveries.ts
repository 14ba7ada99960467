import { readFile } from 'node:fs/promises';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import nodemailer from 'nodemailer';
import { request } from 'undici';

/*
 * What a delivery is made of, without the worker: a mail, an event posted to a webhook, or a job that
 * does nothing. `node deliveries.ts NAME COUNT WARM_UP` prints `DeliveryRate` as JSON.
 */

export type BaselineName = 'mails' | 'events' | 'jobs';

/** Rate of a worker process, and what it took. */
export interface DeliveryRate {
  readonly perSecond: number;
  /** Processor time for each, in milliseconds. */
  readonly cpuMs: number;
  /** Memory of the process at the end (PSS). */
  readonly memoryMib: number;
}

/** Of the worker for each queue. */
const CONCURRENCY = 5;

interface Baseline {
  /** Untimed. */
  readonly prepare?: (count: number) => Promise<void>;
  readonly run: (count: number) => Promise<void>;
}

const { SMTP_URL = '', CRM_WEBHOOK_URL = '', REDIS_URL = '' } = process.env;

/** Repeats `act` with so many in progress at a time. */
function runConcurrently(act: (number: number) => Promise<unknown>): Baseline['run'] {
  let number = 0;

  return async (count) => {
    const end = number + count;
    const lane = async () => {
      while (number < end) {
        number += 1;
        await act(number);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  };
}

/** Nodemailer with a pool; text and HTML are as long as those of a follow-up. */
function sendMails(): Baseline {
  const transport = nodemailer.createTransport({
    url: SMTP_URL,
    pool: true,
    maxConnections: 3,
    ignoreTLS: true,
  });
  const line = 'We spend Mondays retyping invoices, and nobody – nobody at all – likes it.\n';
  const mail = {
    from: 'site@example.com',
    to: 'sales@example.com',
    subject: 'New assessment request',
    text: line.repeat(15),
    html: `<p>${line}</p>`.repeat(60),
  };

  return {
    run: runConcurrently((number) =>
      transport.sendMail({ ...mail, messageId: `<baseline-${number}@example.com>` }),
    ),
  };
}

/** undici with kept connections; the body is as long as that of an export. */
function postEvents(): Baseline {
  const body = JSON.stringify({ type: 'lead.created', data: { message: 'x'.repeat(700) } });

  return {
    run: runConcurrently(async (number) => {
      const headers = { 'content-type': 'application/json', 'webhook-id': `baseline-${number}` };
      const response = await request(CRM_WEBHOOK_URL, { method: 'POST', headers, body });
      await response.body.dump();
    }),
  };
}

/** BullMQ's worker with an empty processor; jobs are removed when they are completed. */
function processJobs(): Baseline {
  const connection = new Redis(REDIS_URL, { maxRetriesPerRequest: null });
  const queue = new Queue('baseline', { connection });

  return {
    prepare: async (count) => {
      const opts = { removeOnComplete: true };
      await queue.addBulk(Array.from({ length: count }, () => ({ name: 'empty', data: {}, opts })));
    },
    run: (count) =>
      new Promise((resolve, reject) => {
        let completed = 0;
        const process = async () => {
          completed += 1;
          // Not awaited: it waits for this job.
          if (completed === count) worker.close().then(resolve, reject);
        };
        const worker = new Worker('baseline', process, { connection, concurrency: CONCURRENCY });
      }),
  };
}

const baselines: Readonly<Record<BaselineName, () => Baseline>> = {
  mails: sendMails,
  events: postEvents,
  jobs: processJobs,
};

async function measure({ prepare, run }: Baseline, count: number): Promise<DeliveryRate> {
  await prepare?.(count);
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  await run(count);
  const ms = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  const rollup = await readFile('/proc/self/smaps_rollup', 'utf8');

  return {
    perSecond: (count / ms) * 1_000,
    cpuMs: (user + system) / 1_000 / count,
    memoryMib: Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1]) / 1024,
  };
}

const [name, count, warmUp] = process.argv.slice(2);
const baseline = baselines[name as BaselineName]();
await measure(baseline, Number(warmUp));
process.stdout.write(JSON.stringify(await measure(baseline, Number(count))));
// Kept connections would keep the process running.
process.exit();
