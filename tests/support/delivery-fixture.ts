import { onTestFinished } from 'vitest';
import type { Database } from '../../shared/node/database/database.ts';
import { createMigratedDatabase, openDatabase } from './database.ts';
import { createRedisServer, type RedisServer } from './redis-server.ts';
import {
  startWebProcess,
  startWorkerProcess,
  type Environment,
  type ProcessPlace,
} from './site-process.ts';
import { startSmtpSink, type SmtpSink } from './smtp-sink.ts';
import { waitFor } from './wait-for.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

const readHour = (timeZone: string) =>
  new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', hourCycle: 'h23' }).format();

/** A time zone in which it is past 9:00, so that mails for the next morning are due in almost a day. */
export const pastNine = Intl.supportedValuesOf('timeZone').find((zone) => readHour(zone) === '09') ?? 'UTC';

/** An earlier report. Without one, the worker plans no report for the past week. */
export const earlierReport = { kind: 'report', subject: '2026-01-05', state: 'sent', due_at: new Date(), sent_at: new Date() } as const;

export interface DeliveryFixture {
  readonly settings: Environment;
  readonly database: Database;
  readonly redis: RedisServer;
  readonly sink: SmtpSink;
  readonly crmFolder: string;
}

/** Starts a Redis that is removed when the test ends. */
export async function startRedisServer(...options: Parameters<typeof createRedisServer>): Promise<RedisServer> {
  const redis = await createRedisServer(...options);
  onTestFinished(() => redis.remove());
  await redis.start();

  return redis;
}

/** Sets up real servers for one test, and settings with mails that are due within seconds. */
export async function setUpDeliveries(changes: Environment = {}): Promise<DeliveryFixture> {
  const databaseUrl = changes['DATABASE_URL'] ?? (await createMigratedDatabase());
  const redis = await startRedisServer();
  const sink = await startSmtpSink();
  const crmFolder = makeTemporaryFolder();
  const erasuresFolder = makeTemporaryFolder();

  return {
    database: openDatabase(databaseUrl, onTestFinished),
    redis,
    sink,
    crmFolder,
    settings: {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis.url,
      SMTP_URL: sink.url,
      CRM_DIR: crmFolder,
      ERASURES_DIR: erasuresFolder,
      FOLLOW_UP_REMINDER_AFTER: '2s',
      FOLLOW_UP_AFTER: '4s',
      TIME_ZONE: pastNine,
      RATE_LIMIT_CONTACT: '1000/10m',
      // Most tests count only the mails to sales.
      ACKNOWLEDGE: 'off',
      ...changes,
    },
  };
}

/** Starts the web process and stops it when the test ends. */
export async function startWeb(settings: Environment, entry?: string, place?: ProcessPlace) {
  const web = await startWebProcess(settings, entry, place);
  onTestFinished(async () => {
    await web.stop();
  });

  return web;
}

/** Starts a worker with short timings and stops it when the test ends. */
export async function startWorker(settings: Environment, place?: ProcessPlace) {
  const worker = await startWorkerProcess(settings, place);
  onTestFinished(async () => {
    await worker.stop();
  });

  return worker;
}

/** Returns the number of deliveries in each state. */
export async function countStates(database: Database): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  // Excludes the weekly report, which isn't about a request, and next morning's mails, which are due after the test.
  for (const { state } of await database('deliveries')
    .whereNot({ kind: 'report' })
    .whereRaw("stage is distinct from 'overdue'")
    .select('state')) {
    counts[state] = (counts[state] ?? 0) + 1;
  }

  return counts;
}

/** Waits until there are `count` deliveries and all are sent. */
export const untilSent = (database: Database, count: number, timeoutMs = 30_000) =>
  waitFor(
    `${count} sent deliveries`,
    async () => {
      const states = await countStates(database);

      return states['sent'] === count && Object.keys(states).length === 1;
    },
    timeoutMs,
  );

/** The received mails' stages, in order. */
export const listStages = ({ received }: SmtpSink) =>
  received.map(({ header }) => header('X-Delivery-Stage'));
