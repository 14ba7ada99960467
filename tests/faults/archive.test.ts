import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { openDatabase } from '../support/database.ts';
import { startWeb } from '../support/delivery-fixture.ts';
import { runOps } from '../support/run-ops.ts';
import { startProcess, type Environment } from '../support/site-process.ts';
import { startPostgresOn, startSystemPostgres } from '../support/system-postgres.ts';
import { waitFor } from '../support/wait-for.ts';
import { oneMail, setUpFault } from './fault-fixture.ts';
import { faultRow } from './fault-row.ts';
import { postSteadily } from './steady-posts.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** What may be lost with the machine, in milliseconds. */
const BOUND = 5_000;

async function listChildren(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');

  return text.split(' ').filter(Boolean).map(Number);
}

/** restic may have ended since it was listed. */
function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has.
  }
}

async function runWell(settings: Environment, ...args: string[]): Promise<string> {
  const { exitCode, output, errorOutput } = await runOps(settings, ...args);
  expect(exitCode, errorOutput).toBe(0);

  return output;
}

faultRow(95, 'The machine is lost under load, all volumes with it: the archive has all requests but those of the last five seconds, and who was erased stays erased', async (chance) => {
  const server = await startSystemPostgres();
  onTestFinished(() => server.remove());
  const folder = makeTemporaryFolder();
  const DATABASE_URL = await server.createMigratedDatabase();
  const fixture = await setUpFault({
    ...oneMail,
    DATABASE_URL,
    DATABASE_ARCHIVE_URL: await server.createReplicationRole(),
    PATH: server.path,
    COOKIE_SECRET: 's'.repeat(32),
    BACKUP_DIR: join(folder, 'backups'),
    ARCHIVE_DIR: join(folder, 'archive'),
    ERASURES_DIR: join(folder, 'erasures'),
    BACKUP_REPOSITORY: join(folder, 'repository'),
    BACKUP_REPOSITORY_PASSWORD: 'word',
  });
  const { accepted, settings } = fixture;
  const web = await startWeb(settings);
  const archive = startProcess(['ops/main.ts', 'backup', '--daily', '--archive'], settings);
  onTestFinished(async () => {
    await archive.stop('SIGKILL');
  });
  await waitFor('the first copy', () => archive.output().includes('A copy of the server’s files is in'), 60_000);
  expect(archive.output()).not.toContain('"alert"');

  const acceptedAt = new Map<string, number>();
  const noteAll = () => accepted.forEach((id) => acceptedAt.has(id) || acceptedAt.set(id, Date.now()));
  const posts = postSteadily(fixture, () => web.origin, 2);
  await waitFor('some requests', () => accepted.length >= 5);
  const moment = new Date();
  const before = [...accepted];
  // The erasure log is copied within a minute, and with each backup.
  const [erased = ''] = accepted;
  await runWell(settings, 'submissions', 'erase', erased, '--yes');
  await runWell(settings, 'backup');
  const begin = accepted.length + chance.between(10, 30);
  await waitFor('more requests', () => {
    noteAll();

    return accepted.length >= begin;
  }, 120_000);

  // Processes, database and files at once.
  const children = await listChildren(archive.pid);
  await archive.stop('SIGKILL');
  for (const child of children) killIfRunning(child);
  const lostAt = Date.now();
  await server.remove();
  await posts.stop();
  noteAll();
  await web.stop();

  const recover = async (at: string) => {
    const place = makeTemporaryFolder();
    const data = join(place, 'data');
    const host = { ...settings, ERASURES_DIR: join(place, 'erasures'), BACKUP_DIR: join(place, 'backups') };
    const said = await runWell(host, 'restore', '--at', at, '--into', data);
    const restored = await startPostgresOn(data, DATABASE_URL);
    onTestFinished(() => restored.remove());
    // It has what was erased since.
    await waitFor('the fetched log to be gone', async () => !(await readdir(restored.data)).includes('wal'));
    const newHost = { ...host, DATABASE_URL: restored.url };
    expect(await runWell(newHost, 'restore', '--recovered')).toMatch(/The newest request was received at .*: look for later ones/);
    const rows = openDatabase(restored.url, onTestFinished);
    expect(await rows('delivery_hold')).toHaveLength(1);
    const requests = await rows('contact_submissions').select<Array<{ id: string; received_at: Date; name: string }>>('*');

    return { said, newHost, rows, requests, ids: new Set(requests.map(({ id }) => id)) };
  };

  const latest = await recover('latest');
  const [, lastCommit = ''] = /its last transaction is of (\S+?)\. Later/.exec(latest.said) ?? [];
  const missing = accepted.filter((id) => !latest.ids.has(id));
  const oldest = Math.min(...missing.map((id) => acceptedAt.get(id) ?? 0));
  process.stdout.write(
    `  accepted ${accepted.length}, restored ${latest.ids.size}, missing ${missing.length}` +
      `${missing.length > 0 ? `, the oldest ${((lostAt - oldest) / 1000).toFixed(1)} s before the loss` : ''}` +
      `; the restore names ${((lostAt - Date.parse(lastCommit)) / 1000).toFixed(1)} s\n`,
  );
  expect(lostAt - Date.parse(lastCommit)).toBeLessThan(BOUND);
  expect(missing.filter((id) => (acceptedAt.get(id) ?? 0) < Date.parse(lastCommit))).toEqual([]);

  // A moment before the erasure: whoever was erased is back, until what was due is released.
  const earlier = await recover(moment.toISOString());
  expect(earlier.said).toContain(`recovers them to ${moment.toISOString()}`);
  expect(before.filter((id) => !earlier.ids.has(id))).toEqual([]);
  expect(earlier.requests.filter(({ received_at: at }) => at > moment)).toEqual([]);
  expect(earlier.requests.find(({ id }) => id === erased)?.name).not.toBe('erased');
  await runWell(earlier.newHost, 'deliveries', 'release', '--yes');
  expect(await earlier.rows('contact_submissions').where({ id: erased }).first()).toMatchObject({ name: 'erased' });
});
