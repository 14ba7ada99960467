import { readdir, readFile, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { Hour, Second } from '../../shared/time.ts';
import { placeBackup } from '../support/backup-fixture.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { openWeb } from '../support/open-site.ts';
import { startProcess, startProgram, type Environment } from '../support/site-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { waitFor } from '../support/wait-for.ts';

interface Compose {
  readonly services: Readonly<Record<string, { readonly healthcheck: { readonly test: readonly [string, string] } }>>;
}

type Probes = Readonly<Record<'startupProbe' | 'livenessProbe', { readonly exec: { readonly command: readonly string[] } }>>;

interface Deployment {
  readonly spec: { readonly template: { readonly spec: { readonly containers: readonly [Probes] } } };
}

const readCompose = async (service: string) => {
  const { services } = parse(await readFile('docker-compose.yml', 'utf8'), { merge: true }) as Compose;

  return ['sh', '-c', services[service]?.healthcheck.test[1] ?? ''];
};

async function readProbes(name: string): Promise<Probes> {
  const [deployment] = parseAllDocuments(await readFile(`deploy/kubernetes/base/${name}.yaml`, 'utf8'));

  return (deployment?.toJS() as Deployment).spec.template.spec.containers[0];
}

/** Runs a check as Docker or Kubernetes does, but with `folder` in place of the container's folder. Resolves to the exit code. */
async function runCheck(command: readonly string[], settings: Environment = {}, folder = ''): Promise<number | null> {
  const [program = '', ...args] = command.map((part) => part.replace(/\/tmp|\/data\/backups/, folder));
  const check = startProgram(program, args, settings);
  await waitFor('the check to end', check.hasExited);

  return check.stop();
}

test('a new web process gets no requests before the migrations for its version are complete', async () => {
  const databaseUrl = await createMigratedDatabase();
  const database = openDatabase(databaseUrl, onTestFinished);
  const last = await database('knex_migrations').orderBy('id', 'desc').first();
  if (!last) throw new Error('There is no migration.');
  await database('knex_migrations').where({ id: last.id }).delete();
  const { origin } = await openWeb({ DATABASE_URL: databaseUrl });
  const settings = { PORT: new URL(origin).port };
  const { command } = (await readProbes('web')).startupProbe.exec;
  expect(await runCheck(command, settings)).toBe(1);

  await database('knex_migrations').insert(last);

  expect(await runCheck(command, settings)).toBe(0);
});

test('a worker is healthy while its loop runs, even while PostgreSQL is down', async () => {
  const folder = makeTemporaryFolder();
  const command = await readCompose('worker');
  expect((await readProbes('worker')).livenessProbe.exec.command).toEqual(command);
  const check = () => runCheck(command, {}, folder);
  const settings = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', TMPDIR: folder };
  const worker = startProcess('tests/support/worker-entry.ts', settings);
  onTestFinished(async () => void (await worker.stop('SIGKILL')));
  await waitFor('the worker to wait', () => worker.output().includes('Waiting for the database.'));
  expect(await check()).toBe(0);

  process.kill(worker.pid, 'SIGSTOP');
  const [heartbeat = ''] = await readdir(folder);
  const before = (Date.now() - 151 * Second) / Second;
  await utimes(join(folder, heartbeat, 'beat'), before, before);
  expect(await check()).toBe(1);

  process.kill(worker.pid, 'SIGCONT');
  await waitFor('the next heartbeat', async () => (await check()) === 0);
  await worker.stop();
  expect(await readdir(folder)).toEqual([]);
  expect(await check()).toBe(1);
});

test('the backup container is unhealthy without a backup, or if the newest is over 26 hours old', async () => {
  const folder = makeTemporaryFolder();
  const command = await readCompose('backup');
  const check = () => runCheck(command, {}, folder);
  const place = async (ageMs: number) => {
    const path = join(folder, await placeBackup(folder, ageMs));
    const time = (Date.now() - ageMs) / Second;
    await utimes(path, time, time);

    return path;
  };
  expect(await check()).toBe(1);
  await place(27 * Hour);
  expect(await check()).toBe(1);
  const young = await place(25 * Hour);
  expect(await check()).toBe(0);
  await rm(young);
  expect(await check()).toBe(1);
});
