import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import nodemailer from 'nodemailer';
import { request } from 'undici';
import { makeCrmRecord } from '../../shared/node/crm/crm-provider.ts';
import { composeMessage } from '../../shared/node/mail/mailer.ts';
import { renderMail } from '../../shared/node/mail/render-mail.ts';
import { Second } from '../../shared/time.ts';
import { makeSampleMails, sampleSubmission } from '../../tests/support/sample-mails.ts';
import { readMemoryMib } from '../pinned-process.ts';
import type { Rate } from './rate.ts';

/*
 * What a worker does at the least, without the rest of it: `node baseline-entry.ts WHAT COUNT WARM_UP`
 * prints how many a second and with how much processor time.
 */

/** As in a worker: so many deliveries of a kind at a time. */
const CONCURRENCY = 5;

/** Does one of the things measured; `number` tells it from the others. */
type Act = (number: number) => Promise<unknown>;

interface Baseline {
  /** Gets `count` of them ready, untimed. */
  readonly prepare?: (count: number) => Promise<void>;
  /** Does `count` of them. */
  readonly run: (count: number) => Promise<void>;
  /** Puts away what was got ready, untimed. */
  readonly finish?: () => Promise<unknown>;
  readonly close: () => Promise<unknown> | void;
}

const readSetting = (name: string): string => process.env[name] ?? '';

/** Several at a time, each next one as one has ended. */
function runSeveral(act: Act): Baseline['run'] {
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

/** The same mail, rendered once, through a pool of as many connections. */
function sendMails(): Baseline {
  const transport = nodemailer.createTransport({
    url: readSetting('SMTP_URL'),
    pool: true,
    maxConnections: 3,
    ignoreTLS: true,
  });
  const { new: content } = makeSampleMails();
  if (!content) throw new Error('There is no such mail.');
  const mail = { ...renderMail(content), to: ['sales@example.com'], headers: {} };

  return {
    run: runSeveral((number) =>
      transport.sendMail(composeMessage({ ...mail, key: `baseline-${number}` }, 'site@example.com')),
    ),
    close: () => transport.close(),
  };
}

/** The same event, unsigned, over connections that are kept. */
function postEvents(): Baseline {
  const data = makeCrmRecord(sampleSubmission);
  const body = JSON.stringify({ type: 'lead.created', timestamp: data.received_at, data });

  return {
    run: runSeveral(async (number) => {
      const headers = { 'content-type': 'application/json', 'webhook-id': `baseline-${number}` };
      const answer = await request(readSetting('CRM_WEBHOOK_URL'), { method: 'POST', headers, body });
      await answer.body.dump();
    }),
    close: () => undefined,
  };
}

/** BullMQ's worker with a job that does nothing, removed when it is done. */
function runEmptyJobs(): Baseline {
  const connection = new Redis(readSetting('REDIS_URL'), { maxRetriesPerRequest: null });
  const queue = new Queue('baseline', { connection });
  let done = 0;
  let tellDone: () => void = () => undefined;
  let worker: Worker | undefined;

  return {
    prepare: async (count) => {
      const opts = { removeOnComplete: true };
      await queue.addBulk(Array.from({ length: count }, () => ({ name: 'empty', data: {}, opts })));
      const act = async () => {
        done += 1;
        tellDone();
      };
      worker = new Worker('baseline', act, { connection, concurrency: CONCURRENCY, autorun: false });
      await worker.waitUntilReady();
    },
    run: (count) =>
      new Promise((resolve, reject) => {
        done = 0;
        tellDone = () => {
          if (done === count) resolve();
        };
        worker?.run().catch(reject);
      }),
    finish: async () => worker?.close(),
    close: async () => {
      await queue.close();
      connection.disconnect();
    },
  };
}

const baselines: Readonly<Record<string, () => Baseline>> = {
  mails: sendMails,
  events: postEvents,
  jobs: runEmptyJobs,
};

async function time({ prepare, run, finish }: Baseline, count: number): Promise<Rate> {
  await prepare?.(count);
  const cpuBefore = process.cpuUsage();
  const begunAt = performance.now();
  await run(count);
  const ms = performance.now() - begunAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  const memoryMib = await readMemoryMib(process.pid);
  await finish?.();

  return { perSecond: (count / ms) * Second, cpuMs: (user + system) / 1000 / count, memoryMib };
}

const [name = '', count = '', warmUp = ''] = process.argv.slice(2);
const baseline = baselines[name]?.();
if (!baseline) throw new Error(`There is no baseline ${name}.`);
await time(baseline, Number(warmUp));
process.stdout.write(JSON.stringify(await time(baseline, Number(count))));
await baseline.close();
// Connections that are kept would hold the process.
process.exit();
