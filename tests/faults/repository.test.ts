import { chmod, mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createBackupCopier } from '../../ops/backup/copy-backups.ts';
import { rehearseRestore } from '../../ops/backup/rehearse-restore.ts';
import { listSnapshots, requireRepository } from '../../ops/repository/repository.ts';
import { findProgram } from '../../scripts/prerequisites.ts';
import { loadConfig } from '../../shared/node/config/config.ts';
import { readCopy, readRehearsal } from '../../shared/node/files/backup-records.ts';
import { Hour } from '../../shared/time.ts';
import { listFiles, placeBackup, setUpBackups, startDailyBackups, type BackupFixture } from '../support/backup-fixture.ts';
import { REPOSITORY_PASSWORD, writeEmptyRepository } from './empty-repository.ts';
import { storeSubmission } from '../support/ops-fixture.ts';
import { startProgram, type Environment, type SiteProcess } from '../support/site-process.ts';
import { startSystemPostgres, type SystemPostgres } from '../support/system-postgres.ts';
import { waitFor } from '../support/wait-for.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

let server: SystemPostgres;
beforeAll(async () => {
  server = await startSystemPostgres();
});
afterAll(() => server.remove());

/** Settings with an unreachable repository, whose password must not appear anywhere. */
const UNREACHABLE = {
  BACKUP_REPOSITORY: 'rest:http://site:hush-hush@127.0.0.1:1/website',
  BACKUP_REPOSITORY_PASSWORD: REPOSITORY_PASSWORD,
};

async function setUpRepository(
  changes: Environment = {},
  exists = true,
): Promise<BackupFixture & { readonly repository: string }> {
  const repository = join(makeTemporaryFolder(), 'repository');
  if (exists) await writeEmptyRepository(repository);
  const fixture = await setUpBackups(server, {
    ...{ BACKUP_REPOSITORY: repository, BACKUP_REPOSITORY_PASSWORD: REPOSITORY_PASSWORD },
    ...changes,
  });

  return { ...fixture, repository };
}

const neverAborted = new AbortController().signal;

/** Copies the changes since the last copy, as the service does every minute. */
const copyChanges = ({ settings }: BackupFixture) => createBackupCopier(loadConfig(settings), () => undefined).copy(neverAborted);

async function expectSuccess({ ops }: BackupFixture, ...args: string[]): Promise<string> {
  const { exitCode, output, errorOutput } = await ops(...args);
  expect(exitCode, errorOutput).toBe(0);

  return output;
}

/** Makes a backup that isn't copied to the repository. */
async function backUpLocally({ settings }: BackupFixture): Promise<void> {
  const local = await setUpBackups(server, { ...settings, BACKUP_REPOSITORY: '' }, settings['DATABASE_URL']);
  await expectSuccess(local, 'backup');
}

const listDumps = async (fixture: BackupFixture) => {
  const restic = requireRepository(loadConfig(fixture.settings));

  return (await listSnapshots(restic)).filter(({ kind }) => kind === 'dump');
};

/** Sets up another machine, which has only the settings and an empty database. */
async function setUpAnotherHost({ settings }: BackupFixture, databaseUrl?: string): Promise<BackupFixture> {
  const erasures = join(makeTemporaryFolder(), 'erasures');

  return setUpBackups(
    server,
    { ...settings, ERASURES_DIR: erasures, BACKUP_DIR: join(makeTemporaryFolder(), 'backups') },
    databaseUrl ?? (await server.createEmptyDatabase()),
  );
}

const listRehearsalDatabases = ({ database }: BackupFixture): Promise<string[]> =>
  database('pg_database').whereLike('datname', 'rehearsal_%').pluck('datname');

/** Lists the locks. Locks that are still being written have different names and no effect yet. */
const listLocks = async (repository: string) =>
  (await readdir(join(repository, 'locks'))).filter((name) => /^[0-9a-f]{64}$/.test(name));

/** Stops a restic process while it holds an exclusive lock. Starts another one if the process ends too early. */
function stopLockedRestic(repository: string): Promise<SiteProcess> {
  return waitFor('a restic process with a lock', async () => {
    const restic = startProgram('restic', ['check'], {
      ...{ PATH: server.path, RESTIC_REPOSITORY: repository, RESTIC_PASSWORD: REPOSITORY_PASSWORD },
      RESTIC_CACHE_DIR: makeTemporaryFolder(),
    });
    onTestFinished(async () => void (await restic.stop('SIGKILL')));
    await waitFor('its lock', async () => restic.hasExited() || (await listLocks(repository)).length > 0);
    if (restic.hasExited()) return undefined;
    process.kill(restic.pid, 'SIGSTOP');
    if ((await listLocks(repository)).length > 0) return restic;
    await restic.stop('SIGKILL');

    return undefined;
  });
}

describe('a repository', () => {
  test('stores encrypted copies of the newest backups, and a check reads one of them', async () => {
    const fixture = await setUpRepository({ BACKUP_KEEP: '1' }, false);
    await storeSubmission(fixture.database);
    expect(await fixture.ops('backup', '--check')).toMatchObject({ exitCode: 1 });
    expect(await expectSuccess(fixture, 'backup')).toContain('It was copied to BACKUP_REPOSITORY, with the erasure log.');
    await expectSuccess(fixture, 'backup');

    const dumps = (await listFiles(fixture.backups)).filter((name) => name.endsWith('.dump'));
    const output = await expectSuccess(fixture, 'backup', '--check');
    expect(output.match(/^site-.*\.dump$/gm)).toEqual(dumps.toReversed());
    expect(output).toMatch(/is complete: 1 backup\. The newest one \([\d.]+ kB\) was read, and its SHA-256 matches/);
    expect((await fixture.ops('doctor')).output).toMatch(/^ok {4}backup repository .* 0\.0 hours old/m);
    const wrong = { ...fixture.settings, BACKUP_REPOSITORY_PASSWORD: 'another' };
    const other = await setUpBackups(server, wrong, fixture.settings['DATABASE_URL']);
    expect(await other.ops('backup', '--check')).toMatchObject({
      ...{ exitCode: 1, errorOutput: expect.stringMatching(/wrong password/) },
    });
  });

  test('that can’t be reached makes the command fail without naming a secret, and the backup stays on this machine', async () => {
    const fixture = await setUpBackups(server, UNREACHABLE);
    const { exitCode, output, errorOutput } = await fixture.ops('backup');

    expect(exitCode).toBe(1);
    expect(errorOutput).toMatch(/is complete and verified, but could not be copied to BACKUP_REPOSITORY\. restic .*refused/);
    expect(output + errorOutput).not.toMatch(new RegExp(`hush-hush|${REPOSITORY_PASSWORD}`));
    expect((await listFiles(fixture.backups)).filter((name) => name.endsWith('.dump'))).toHaveLength(1);
    expect(await readCopy(fixture.backups)).toEqual({ succeeded_at: null });
    expect((await fixture.ops('doctor')).output).toMatch(/^fail {2}backup repository .*refused/m);
  });

  test('can be read while a stopped restic process holds its lock, and the next backup removes the lock', async () => {
    const fixture = await setUpRepository();
    await fixture.backUp();
    const other = await stopLockedRestic(fixture.repository);
    const host = await setUpAnotherHost(fixture);
    expect(await expectSuccess(host, 'restore', '--repository')).toMatch(/The backup of .* was restored/);
    await other.stop('SIGKILL');
    expect(await listLocks(fixture.repository)).toHaveLength(1);

    await expectSuccess(fixture, 'backup');

    expect(await listLocks(fixture.repository)).toEqual([]);
  });

  test('stores a backup only once if two processes copy it at the same time', async () => {
    const fixture = await setUpRepository();
    await backUpLocally(fixture);

    expect(await Promise.all([copyChanges(fixture), copyChanges(fixture)])).toEqual([true, true]);

    expect(await listDumps(fixture)).toHaveLength(1);
  });

  test('stores a backup even while PostgreSQL is down', async () => {
    const fixture = await setUpRepository();
    await backUpLocally(fixture);
    const config = loadConfig({ ...fixture.settings, DATABASE_URL: 'postgres://site:word@127.0.0.1:1/site' });

    expect(await createBackupCopier(config, () => undefined).copy(neverAborted)).toBe(true);

    expect(await listDumps(fixture)).toHaveLength(1);
  });

  test('restores later erasures on a machine whose erasure log is older', async () => {
    const fixture = await setUpRepository();
    const path = join(fixture.settings['ERASURES_DIR'] ?? '', 'erasures.ndjson');
    await expectSuccess(fixture, 'backup');
    const before = await readFile(path, 'utf8');
    await expectSuccess(fixture, 'submissions', 'erase', '--email', 'ada@example.org', '--yes');
    await copyChanges(fixture);
    const erasures = (await readFile(path, 'utf8')).match(/"subject_hash"/g);
    expect(erasures).not.toBeNull();

    await writeFile(path, before);
    await copyChanges(fixture);

    expect((await readFile(path, 'utf8')).match(/"subject_hash"/g)).toEqual(erasures);
  });

  test('separates the backups of two sites by host', async () => {
    const fixture = await setUpRepository({ BACKUP_KEEP: '1' });
    await expectSuccess(fixture, 'backup');
    const settings = { ...fixture.settings, PUBLIC_URL: 'https://other.example' };
    const other = await setUpAnotherHost({ ...fixture, settings }, await server.createMigratedDatabase());

    expect(await other.ops('restore', '--repository')).toMatchObject({
      ...{ exitCode: 1, errorOutput: expect.stringMatching(/BACKUP_REPOSITORY has no backup of other\.example/) },
    });
    await expectSuccess(other, 'backup');
    expect(await listDumps(fixture)).toHaveLength(1);
    expect(await listDumps(other)).toHaveLength(1);
  });

  test('keeps secrets out of restic’s arguments, and passes only its own password in the environment', async () => {
    const folder = makeTemporaryFolder();
    const real = findProgram('restic', `${server.path}:/usr/bin`) ?? '';
    const wrapper = join(folder, 'bin', 'restic');
    await mkdir(join(folder, 'bin'));
    await writeFile(wrapper, `#!/bin/sh\nprintf '%s\\n' "$@" >> ${folder}/args; env >> ${folder}/env; exec ${real} "$@"\n`);
    await chmod(wrapper, 0o755);
    const fixture = await setUpRepository({ PATH: `${join(folder, 'bin')}:${server.path}` });
    await expectSuccess(fixture, 'backup');

    expect(await readFile(join(folder, 'args'), 'utf8')).not.toContain(REPOSITORY_PASSWORD);
    const env = await readFile(join(folder, 'env'), 'utf8');
    expect(env).toContain(`RESTIC_PASSWORD=${REPOSITORY_PASSWORD}`);
    expect(env).not.toMatch(/COOKIE_SECRET|DATABASE_URL|PGPASSWORD/);
  });

  test('can be restored on another machine, where data erased after the backup is erased again', async () => {
    const fixture = await setUpRepository();
    const id = await storeSubmission(fixture.database, { email: 'ada@example.org' });
    await expectSuccess(fixture, 'backup');
    await expectSuccess(fixture, 'submissions', 'erase', '--email', 'ada@example.org', '--yes');
    expect(await copyChanges(fixture)).toBe(true);

    // A site that was started on that machine earlier has its own erasure log.
    const host = await setUpAnotherHost(fixture);
    const folder = host.settings['ERASURES_DIR'] ?? '';
    await mkdir(folder);
    await writeFile(join(folder, 'erasures.ndjson'), '{"erasure_list":"5f0c6f1e-9c1a-4f0e-8a53-0f3f5f0c6f1e"}\n');
    expect(await host.ops('restore', 'site-1.dump', '--repository')).toMatchObject({
      ...{ exitCode: 1, errorOutput: expect.stringMatching(/has no site-1\.dump; its backups: site-2/) },
    });
    await expectSuccess(host, 'restore', '--check', '--repository');
    const backups = host.settings['BACKUP_DIR'] ?? '';
    const [dump = ''] = (await readdir(backups)).filter((name) => name.endsWith('.dump'));
    const { ino: checked } = await stat(join(backups, dump));
    const output = await expectSuccess(host, 'restore', '--repository');
    // The dump that was fetched for the check isn't fetched again.
    expect(await stat(join(backups, dump))).toMatchObject({ ino: checked });
    expect(output).toMatch(/The backup of .* was restored[^]*The erasure log of .* is in/);
    expect(await host.database('contact_submissions').where({ id }).first()).toMatchObject({ email: 'ada@example.org' });
    expect(await expectSuccess(host, 'deliveries', 'release', '--yes')).toContain('Erased again, because of earlier erasure requests: 1 requests');
    expect(await host.database('contact_submissions').where({ id }).first()).toMatchObject({ name: 'erased' });
    // All fetched files except the backup itself are removed.
    expect((await readdir(backups)).filter((name) => name.startsWith('.fetched-'))).toEqual([]);
  });
});

describe('a rehearsal', () => {
  test('restores the backup from the repository into a temporary database, then drops it', async () => {
    const fixture = await setUpRepository();
    await storeSubmission(fixture.database);

    expect(await expectSuccess(fixture, 'backup', '--rehearse')).toMatch(/restored into a temporary database, with all its rows/);
    expect(await listRehearsalDatabases(fixture)).toEqual([]);
    expect((await fixture.ops('doctor')).output).toMatch(/^ok {4}rehearsal +site-.*with all its rows/m);
    expect(await fixture.database('delivery_hold')).toEqual([]);
  });

  test('fails if rows or the whole backup are missing', async () => {
    const fixture = await setUpRepository();
    const path = await fixture.backUp();
    const config = loadConfig(fixture.settings);

    const rows = { contact_submissions: 7 };
    await expect(rehearseRestore(config, { path, rows }, neverAborted)).rejects.toThrow(/contact_submissions has 0 instead of 7/);
    expect(await readRehearsal(fixture.backups)).toMatchObject({ error: expect.stringMatching(/0 instead of 7/) });
    expect(await listRehearsalDatabases(fixture)).toEqual([]);
    await rm(fixture.repository, { recursive: true });
    await expect(rehearseRestore(config, { path, rows }, neverAborted)).rejects.toThrow(/restic .* failed/);
  });
});

describe('backup --daily', () => {
  test('copies and rehearses a backup if BACKUP_AT lists several times', async () => {
    const hoursAgo = (hours: number) => `${(new Date().getUTCHours() + 24 - hours) % 24}`;
    const fixture = await setUpRepository({ BACKUP_AT: [hoursAgo(3), hoursAgo(9), hoursAgo(15)].join() });
    await placeBackup(fixture.settings['BACKUP_DIR'] ?? '', 6 * Hour);
    const daily = startDailyBackups(fixture.settings);
    await waitFor('the rehearsal', () => daily.output().includes('was restored for a rehearsal'), 60_000);
    expect(daily.output()).toContain('Backup and erasure log are in BACKUP_REPOSITORY.');
    expect(daily.output()).not.toContain('"alert"');
    expect(await readRehearsal(fixture.backups)).toMatchObject({ error: null });
    expect(await daily.stop()).toBe(0);
  });
});
