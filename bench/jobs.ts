import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import type { Timings } from '../shared/node/config/timings.ts';
import { Minute, Second } from '../shared/time.ts';
import type { BaselineName, DeliveryRate } from './baselines/deliveries.ts';
import type { Benchmark, BenchmarkContext, OnCleanup } from './harness/benchmark.ts';
import { runInterleaved } from './harness/compare.ts';
import { moveToLoadCore, runPinned, startPinned, type Environment } from './harness/pinned-process.ts';
import { startReceiver, type Receiver } from './harness/receiver.ts';
import { formatNumber, formatTable, type Cell } from './harness/report.ts';
import { startStores } from './harness/stores.ts';

/** Requests of a run: each is one mail or one export, or all four deliveries in the backlog. */
const COUNTS = {
  full: { rate: 1_000, warmUp: 100, limited: 20, backlog: 2_500 },
  quick: { rate: 60, warmUp: 10, limited: 4, backlog: 50 },
} as const;

const TIMEOUT = 15 * Minute;
const POLL_INTERVAL = 20;

/** Idle workers use less processor time than this in a second, all together, in milliseconds. */
const IDLE_CPU_MS = 50;

/** Starts the worker with the timings of `WORKER_TIMINGS`; `jobs/main.ts` takes none. */
const UNLIMITED_WORKER = 'tests/support/worker-entry.ts';

/** Production's, but without the rate limits of mails and exports, and with more sweeps. */
const unlimited: Partial<Timings> = {
  minInterval: 0,
  sweep: 2 * Second,
  lease: 1 * Minute,
  attempt: 20 * Second,
  queueCheck: 10 * Second,
  pause: 15 * Minute,
  alertAfter: 15 * Minute,
  queue: { lockDuration: 30 * Second, stalledInterval: 30 * Second },
};

/** Kind and stage of a delivery. */
const MAIL = [['follow-up', 'new']] as const;
const EXPORT = [['crm-export', null]] as const;
const ALL = [...MAIL, ['follow-up', 'reminder'], ['follow-up', 'due'], ...EXPORT] as const;

type Plan = ReadonlyArray<readonly [kind: string, stage: string | null]>;

interface Setup {
  readonly database: pg.Client;
  readonly settings: Environment;
  readonly receiver: Receiver;
  readonly emptyQueues: () => Promise<unknown>;
}

/** A drain of due deliveries by some workers. */
interface Drain {
  readonly plan: Plan;
  readonly requests: number;
  readonly workers: number;
  /** Deliveries before the measurement. */
  readonly warmUp: number;
  /** Deliveries become due when the workers have started, not before. */
  readonly isWarm?: boolean;
  /** Production's rate limits apply. */
  readonly isLimited?: boolean;
}

async function startSetup(onCleanup: OnCleanup): Promise<Setup> {
  moveToLoadCore();
  const { databaseUrl, redis, settings } = await startStores(onCleanup);
  const receiver = await startReceiver(onCleanup);
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  onCleanup(() => database.end());

  return {
    database,
    receiver,
    settings: { ...settings, ...receiver.settings, WORKER_TIMINGS: JSON.stringify(unlimited) },
    emptyQueues: () => redis.command('FLUSHALL'),
  };
}

async function reset({ database, receiver, emptyQueues }: Setup): Promise<void> {
  await database.query('truncate contact_submissions cascade');
  await emptyQueues();
  receiver.arrivals.clear();
}

/** Adds requests whose deliveries are due, without a job. */
async function addRequests({ database }: Setup, { plan, requests }: Drain): Promise<void> {
  await database.query(
    `insert into contact_submissions (id, name, email, company, phone, industry, message, submitted_at)
    select gen_random_uuid(), 'Ada Example', 'ada.' || n || '@example.org', 'Example Sweets', '+1 555 0100',
      'manufacturing', repeat('We spend Mondays retyping invoices. ', 6), now()
    from generate_series(1, $1::int) as n`,
    [requests],
  );
  await database.query(
    `insert into deliveries (submission_id, kind, stage, due_at)
    select id, kind, stage, now() from contact_submissions, unnest($1::text[], $2::text[]) as plan (kind, stage)`,
    [plan.map(([kind]) => kind), plan.map(([, stage]) => stage)],
  );
}

function startWorkers({ settings }: Setup, { workers, isLimited }: Drain) {
  const entry = isLimited ? 'jobs/main.ts' : UNLIMITED_WORKER;
  const group = Array.from({ length: workers }, () => startPinned([entry], settings));
  const sum = async (read: (worker: (typeof group)[number]) => Promise<number>) =>
    (await Promise.all(group.map(read))).reduce((total, each) => total + each, 0);

  const readCpuMs = () => sum((worker) => worker.readCpuMs());

  return {
    readCpuMs,
    untilIdle: async () => {
      let before = 0;
      for (let idleSeconds = 0; idleSeconds < 2; ) {
        await wait(1 * Second);
        const now = await readCpuMs();
        idleSeconds = now - before < IDLE_CPU_MS ? idleSeconds + 1 : 0;
        before = now;
      }
    },
    readMemoryMib: () => sum((worker) => worker.readMemoryMib()),
    checkRunning: () => {
      for (const worker of group) if (worker.hasExited()) throw new Error(worker.output());
    },
    stop: () => Promise.all(group.map((worker) => worker.stop())),
  };
}

/**
 * Drains due deliveries as after a loss of Redis's data: the next sweep queues them.
 * @returns the rate after the warm-up, and the seconds and processor time from the spawn on
 * @throws unless each delivery arrives exactly once
 */
async function measureDrain(setup: Setup, drain: Drain) {
  await reset(setup);
  if (!drain.isWarm) await addRequests(setup, drain);
  const { arrivals } = setup.receiver;
  const total = drain.requests * drain.plan.length;
  const startedAt = performance.now();
  const workers = startWorkers(setup, drain);
  const untilSent = async (wanted: number) => {
    for (;;) {
      const { rows } = await setup.database.query<{ sent: number }>(
        "select count(*)::int as sent from deliveries where state = 'sent'",
      );
      const sent = rows[0]?.sent ?? 0;
      const now = performance.now();
      if (sent >= wanted) return { sent, at: now, cpuMs: await workers.readCpuMs() };
      workers.checkRunning();
      if (now - startedAt > TIMEOUT) throw new Error(`Only ${sent} of ${total} deliveries were sent.`);
      await wait(POLL_INTERVAL);
    }
  };
  try {
    if (drain.isWarm) {
      await workers.untilIdle();
      await addRequests(setup, drain);
    }
    const first = await untilSent(drain.warmUp);
    const last = await untilSent(total);
    const repeated = [...arrivals.values()].filter((count) => count !== 1).length;
    if (arrivals.size !== total || repeated > 0) {
      throw new Error(`Of ${total} deliveries ${arrivals.size} arrived, ${repeated} of them repeatedly.`);
    }

    return {
      perSecond: ((total - first.sent) * Second) / (last.at - first.at),
      cpuMs: (last.cpuMs - first.cpuMs) / (total - first.sent),
      memoryMib: await workers.readMemoryMib(),
      seconds: (last.at - startedAt) / Second,
      cpuMsWithStart: last.cpuMs / total,
    };
  } finally {
    await workers.stop();
  }
}

/** What is compared: a baseline, or workers beside it. */
interface Target {
  readonly name: string;
  readonly baseline: BaselineName;
  readonly drain?: Pick<Drain, 'plan' | 'workers'>;
}

const TARGETS: readonly Target[] = [
  { name: 'BullMQ, empty processor', baseline: 'jobs' },
  { name: 'Nodemailer, pooled', baseline: 'mails' },
  { name: 'follow-ups, 1 worker', baseline: 'mails', drain: { plan: MAIL, workers: 1 } },
  { name: 'follow-ups, 4 workers', baseline: 'mails', drain: { plan: MAIL, workers: 4 } },
  { name: 'undici, kept connections', baseline: 'events' },
  { name: 'CRM exports, 1 worker', baseline: 'events', drain: { plan: EXPORT, workers: 1 } },
  { name: 'CRM exports, 4 workers', baseline: 'events', drain: { plan: EXPORT, workers: 4 } },
];

/** Rates beside the baselines. */
async function compareRates(setup: Setup, counts: { rate: number; warmUp: number }, runs: number): Promise<string> {
  const { rate: requests, warmUp } = counts;
  const measure = async ({ baseline, drain }: Target) => {
    if (drain) {
      const options = { ...drain, requests, warmUp, isWarm: true };
      const { perSecond, cpuMs, memoryMib } = await measureDrain(setup, options);

      return { perSecond, cpuMs, memoryMib };
    }
    await setup.emptyQueues();
    const args = ['bench/baselines/deliveries.ts', baseline, String(requests), String(warmUp)];
    const { perSecond, cpuMs, memoryMib } = JSON.parse(await runPinned(args, setup.settings)) as DeliveryRate;

    return { perSecond, cpuMs, memoryMib };
  };
  const results = await runInterleaved(TARGETS, measure, runs);
  const find = (name: BaselineName) =>
    results[TARGETS.findIndex(({ baseline, drain }) => !drain && baseline === name)];
  const rows = TARGETS.map(({ name, baseline, drain }, index): Cell[] => {
    const { perSecond = NaN, cpuMs = NaN, memoryMib = NaN } = results[index] ?? {};
    const beside = drain && find(baseline);
    const parts = beside && beside.cpuMs + (find('jobs')?.cpuMs ?? NaN);

    return [
      ...[name, perSecond, beside ? perSecond / beside.perSecond : ''],
      ...[cpuMs, parts ? cpuMs / parts : '', memoryMib],
    ];
  });

  return formatTable(['', 'per second', 'ratio', 'CPU ms each', 'ratio to sending and empty job', 'memory MiB'], rows);
}

/** One row each for one and for four workers. */
async function measureDrains(setup: Setup, drain: Omit<Drain, 'workers'>): Promise<string> {
  const rows: Cell[][] = [];
  for (const workers of [1, 4]) {
    const result = await measureDrain(setup, { ...drain, workers });
    const { seconds, perSecond, cpuMsWithStart, memoryMib } = result;
    rows.push([`${workers} worker${workers === 1 ? '' : 's'}`, seconds, perSecond, cpuMsWithStart, memoryMib]);
  }

  return formatTable(['', 'seconds', 'per second', 'CPU ms each, with the start', 'memory MiB'], rows);
}

async function measure({ isQuick, runs, onCleanup }: BenchmarkContext): Promise<readonly string[]> {
  const setup = await startSetup(onCleanup);
  const counts = isQuick ? COUNTS.quick : COUNTS.full;
  const { warmUp, limited, backlog } = counts;

  return [
    `${counts.rate} deliveries, the first ${warmUp} as a warm-up, without rate limits. All workers share one ` +
      'core; PostgreSQL, Redis and the receivers share the other.',
    await compareRates(setup, counts, runs),
    `With production’s rate limit, which all workers share (${limited} mails, one run):`,
    await measureDrains(setup, { plan: MAIL, requests: limited, warmUp: 1, isLimited: true }),
    `A backlog of ${formatNumber(backlog * ALL.length)} due deliveries without jobs, as after a loss of ` +
      'Redis’s data, without rate limits, from the spawn of the workers (one run):',
    await measureDrains(setup, { plan: ALL, requests: backlog, warmUp }),
    'In each run every mail and event arrived exactly once, by its Message-ID or webhook-id.',
  ];
}

/** Deliveries by the worker on Redis, beside the sending alone and an empty job. */
export const benchmark: Benchmark = {
  prerequisites: ['redis-server'],
  packages: ['bullmq', 'nodemailer', 'knex', 'pg', 'undici'],
  measure,
};
