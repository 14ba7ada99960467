import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createFileProvider } from '../../shared/node/crm/file-provider.ts';
import { makeCrmRecord } from '../../shared/node/crm/crm-provider.ts';
import { poolSizes, type Database } from '../../shared/node/database/database.ts';
import { tryWithAdvisoryLock, withAdvisoryLock } from '../../shared/node/database/advisory-lock.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { sampleSubmission } from '../support/sample-mails.ts';
import { waitFor } from '../support/wait-for.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const LOCK = 4711;

/** Another process that holds the lock. */
async function startHolder(databaseUrl: string) {
  const holder = spawn(process.execPath, ['tests/support/lock-holder-entry.ts'], {
    env: { PATH: process.env['PATH'], DATABASE_URL: databaseUrl, LOCK: String(LOCK) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');

  return holder;
}

const tryLock = (database: Database) => tryWithAdvisoryLock(database, LOCK, () => Promise.resolve());

async function readLastSign(database: Database): Promise<number> {
  const row = await database('pg_stat_activity')
    .where({ application_name: 'worker' })
    .whereRaw('datname = current_database()')
    .first<{ state_change: Date }>('state_change');

  return row.state_change.getTime();
}

test('a worker that holds a lock reports it all the time, and keeps it', async () => {
  const url = await createMigratedDatabase();
  const database = openDatabase(url, onTestFinished);
  await startHolder(url);

  for (const _sign of [1, 2]) {
    const last = await readLastSign(database);
    await waitFor('another sign of life', async () => (await readLastSign(database)) > last, 10_000);
  }

  expect(await tryLock(database)).toBe(false);
});

test('a worker that froze while it swept loses its lock to the others within half a minute', async () => {
  const url = await createMigratedDatabase();
  const database = openDatabase(url, onTestFinished);
  const holder = await startHolder(url);
  expect(await tryLock(database)).toBe(false);

  holder.kill('SIGSTOP');

  await waitFor('the lock', () => tryLock(database), 30_000);
});

test('an export to files waits while another worker writes to them', async () => {
  const folder = makeTemporaryFolder();
  const url = await createMigratedDatabase();
  const [one, other] = [openDatabase(url, onTestFinished), openDatabase(url, onTestFinished)];
  const record = makeCrmRecord(sampleSubmission);
  const exportWith = (database: Database) =>
    createFileProvider(folder).exportRecord(record, {
      deliveryId: sampleSubmission.id,
      attempt: 1,
      steps: { get: () => undefined, record: () => Promise.resolve() },
      lastFailure: null,
      withAdvisoryLock: (key, work) => {
        keys.push(key);

        return withAdvisoryLock(database, key, work);
      },
      signal: new AbortController().signal,
    });
  const keys: string[] = [];
  await exportWith(one);
  const files = await readdir(folder);
  const [key = ''] = keys;
  let isDone = false;

  const waiting = await withAdvisoryLock(one, key, async () => {
    const exporting = exportWith(other).then(() => (isDone = true));
    await waitFor('the other to wait', async () => {
      const { rows } = await one.raw<{ rows: unknown[] }>(
        "select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())",
      );

      return rows.length > 0;
    });
    expect(isDone).toBe(false);

    return { exporting };
  });
  await waiting.exporting;

  expect(isDone).toBe(true);
  expect(await readdir(folder)).toEqual(files);
});

test('three webs, a fourth that replaces one, four workers and the tools get by with 100 connections', () => {
  const { web, worker, retention, ops } = poolSizes;
  const migrations = 3;
  /** PostgreSQL's default `superuser_reserved_connections`. */
  const reserved = 3;

  expect(4 * web + 4 * (worker + retention) + migrations + ops + reserved).toBeLessThanOrEqual(100);
});
