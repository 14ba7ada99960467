import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findFreePort } from '../../scripts/free-port.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { openWeb } from '../support/open-site.ts';
import { startProcess, type Environment } from '../support/site-process.ts';
import { waitFor } from '../support/wait-for.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** What an orchestrator does with a check: runs it and reads its exit code. */
async function runCheck(entry: string, settings: Environment): Promise<number | null> {
  const check = startProcess(entry, settings);
  await waitFor('the check to end', check.hasExited);

  return check.stop();
}

/** Web until the test ends; returns the settings of its checks. */
async function startWeb(databaseUrl: string) {
  const settings = { DATABASE_URL: databaseUrl };
  const { origin } = await openWeb(settings);

  return { ...settings, PORT: new URL(origin).port };
}

/** Of a server that isn't there. */
const makeDeadUrl = async () => `postgres://nobody@127.0.0.1:${await findFreePort()}/none`;

test('a new web gets no visitors before the migrations of its version are complete', async () => {
  const databaseUrl = await createMigratedDatabase();
  const database = openDatabase(databaseUrl, onTestFinished);
  const last = await database('knex_migrations').orderBy('id', 'desc').first();
  if (!last) throw new Error('There is no migration.');
  await database('knex_migrations').where({ id: last.id }).delete();
  const settings = await startWeb(databaseUrl);
  expect(await runCheck('server/check-start.ts', settings)).toBe(1);

  await database('knex_migrations').insert(last);

  expect(await runCheck('server/check-start.ts', settings)).toBe(0);
});

test('webs keep their visitors while PostgreSQL is down', async () => {
  const settings = await startWeb(await makeDeadUrl());

  expect(await runCheck('server/check-start.ts', settings)).toBe(0);
});

test('a worker that waits for PostgreSQL is not healthy, and nothing to restart', async () => {
  const settings = {
    DATABASE_URL: await makeDeadUrl(),
    TMPDIR: makeTemporaryFolder(),
  };
  const worker = startProcess('tests/support/worker-entry.ts', settings);
  onTestFinished(async () => void (await worker.stop('SIGKILL')));
  await waitFor('it to wait', () => worker.output().includes('Waiting for the database.'));

  expect(await runCheck('jobs/check-health.ts', settings)).toBe(1);
  expect(await runCheck('jobs/check-alive.ts', settings)).toBe(0);
});

test('a worker whose loop has stopped is restarted, also beside one of the same user whose loop runs', async () => {
  const folder = makeTemporaryFolder();
  const settings = { DATABASE_URL: await createMigratedDatabase(), TMPDIR: folder };
  const check = () => runCheck('jobs/check-alive.ts', settings);
  const startWorker = async () => {
    const worker = startProcess('tests/support/worker-entry.ts', settings);
    onTestFinished(async () => void (await worker.stop('SIGKILL')));
    await waitFor('the worker', () => worker.output().includes('The worker is ready.'));

    return worker;
  };
  const [hanging, turning] = await Promise.all([startWorker(), startWorker()]);
  expect(await check()).toBe(0);

  process.kill(hanging.pid, 'SIGSTOP');
  const before = Date.now() / 1_000 - 151;
  const heartbeats = join(folder, (await readdir(folder))[0] ?? '');
  await utimes(join(heartbeats, String(hanging.pid)), before, before);
  expect(await check()).toBe(1);

  // The ended process leaves no file that could pass for another's.
  await hanging.stop('SIGKILL');
  expect(await check()).toBe(0);
  await turning.stop('SIGKILL');
  expect(await check()).toBe(1);
  expect(await readdir(heartbeats)).toEqual([]);
});
