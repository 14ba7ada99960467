import { execFile } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Day, Hour } from '../../shared/time.ts';
import {
  listFiles,
  placeBackup,
  setUpBackups,
  startDailyBackups,
  unlessVersion,
  wrapTool,
  type BackupFixture,
} from '../support/backup-fixture.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { storeSubmission } from '../support/ops-fixture.ts';
import { startProcess } from '../support/site-process.ts';
import { startSystemPostgres, type SystemPostgres } from '../support/system-postgres.ts';
import { waitFor } from '../support/wait-for.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

let server: SystemPostgres;
beforeAll(async () => {
  server = await startSystemPostgres();
});
afterAll(() => server.remove());

const BACKUP_LOCK = 0x6261636b;

async function expectFailure({ ops }: BackupFixture, message: RegExp, ...args: string[]) {
  const result = await ops('backup', ...args);
  expect(result).toMatchObject({ exitCode: 1, errorOutput: expect.stringMatching(message) });

  return result;
}

describe('backup', () => {
  test('writes a file that only its owner can read, with a hash that sha256sum accepts, and prints its row counts', async () => {
    const { ops, database, backups } = await setUpBackups(server);
    await storeSubmission(database);

    const { exitCode, output } = await ops('backup');
    expect(exitCode).toBe(0);
    expect(output).toMatch(/contact_submissions[ │|]+1 /);
    expect(output).toMatch(/\d kB, verified\./);
    const [name = '', note, ...others] = await listFiles(backups);
    expect(name).toMatch(/^site-\d{8}T\d{9}Z\.dump$/);
    expect([note, ...others]).toEqual([`${name}.sha256`]);
    for (const file of [name, `${name}.sha256`]) {
      expect((await stat(join(backups, file))).mode & 0o777).toBe(0o600);
    }
    expect((await stat(backups)).mode & 0o777).toBe(0o700);
    await promisify(execFile)('sha256sum', ['--check', `${name}.sha256`], { cwd: backups });
  });

  test('deletes all but the newest backups, and no other files', async () => {
    const { backUp, backups } = await setUpBackups(server, { BACKUP_KEEP: '2' });
    const old = await placeBackup(backups, 3 * Day);
    const younger = await placeBackup(backups, 2 * Day);
    const strange = ['before-upgrade.dump', 'site-20200101T000000000Z.dump', 'site.dump.part'];
    for (const name of strange) await writeFile(join(backups, name), 'mine');
    for (const ending of ['part', 'sha256']) {
      await writeFile(join(backups, `site-20200101T000000001Z.dump.${ending}`), 'left by a killed backup');
    }

    const first = basename(await backUp());
    expect(await listFiles(backups)).toEqual(
      [...strange, ...[younger, first].flatMap((name) => [name, `${name}.sha256`])].sort(),
    );
    const second = basename(await backUp('--keep', '1'));
    expect(await listFiles(backups)).toEqual([...strange, second, `${second}.sha256`].sort());
    expect(old).not.toBe(younger);
  });

  test('passes the password to pg_dump only in its environment, and no other secrets', async () => {
    const folder = makeTemporaryFolder();
    const script = `printf '%s\\n' "$@" >> ${folder}/args; env >> ${folder}/env; exec $REAL "$@"`;
    const { ops, settings } = await setUpBackups(server, {
      PATH: await wrapTool(server, 'pg_dump', script),
      SMTP_URL: 'smtp://user:mail-secret@127.0.0.1:1',
    });
    const { password } = new URL(settings['DATABASE_URL'] ?? '');

    const { exitCode, output, errorOutput } = await ops('backup');
    expect(exitCode).toBe(0);
    const args = await readFile(join(folder, 'args'), 'utf8');
    expect(args).toContain('--dbname=postgres://postgres@127.0.0.1');
    expect(args + output + errorOutput).not.toContain(password);
    const env = await readFile(join(folder, 'env'), 'utf8');
    expect(env.match(new RegExp(password, 'g'))).toHaveLength(1);
    expect(env).toContain(`PGPASSWORD=${password}`);
    expect(env).not.toMatch(/mail-secret|COOKIE_SECRET|DATABASE_URL/);
  });

  test('fails if the client tools are missing or have a different major version than the server', async () => {
    const missing = await setUpBackups(server, { PATH: makeTemporaryFolder() });
    await expectFailure(missing, /pg_dump is not installed.*ops image/);

    const other = await setUpBackups(server, {}, await createMigratedDatabase());
    await expectFailure(other, /pg_dump is from PostgreSQL 1\d, but the server is PostgreSQL 18/);
    const { errorOutput, exitCode } = await other.ops('restore', '/tmp/any.dump');
    expect(errorOutput).toMatch(/pg_restore is from PostgreSQL 1\d, but the server is PostgreSQL 18/);
    expect(exitCode).toBe(1);
  });

  test('fails before writing anything if there is too little disk space', async () => {
    // `/proc` is a virtual file system with no free space.
    const fixture = await setUpBackups(server, { BACKUP_DIR: '/proc/backups' });
    await expectFailure(fixture, /not enough disk space for a backup: \/proc\/backups has 0 MB free, and the database is \d+ MB/);
  });

  test('leaves no file, deletes nothing and prints no database rows if pg_dump fails', async () => {
    const words = 'pg_dump: error: it broke\\nDETAIL:  Key (email)=(ada@example.org) exists.';
    const failing = unlessVersion(`printf '${words}\\n' >&2; exit 1`);
    const fixture = await setUpBackups(server, {
      PATH: await wrapTool(server, 'pg_dump', failing),
      BACKUP_KEEP: '1',
    });
    const olds = [await placeBackup(fixture.backups, 2 * Day), await placeBackup(fixture.backups, Day)];

    const { errorOutput } = await expectFailure(fixture, /pg_dump failed: .*it broke/);
    expect(errorOutput).not.toContain('ada@');
    expect(await listFiles(fixture.backups)).toEqual(olds.flatMap((name) => [name, `${name}.sha256`]));
  });

  test('leaves no partial file if it is stopped', async () => {
    const folder = makeTemporaryFolder();
    const target = makeTemporaryFolder();
    const hanging = unlessVersion(`echo > ${folder}/begun; exec sleep 600`);
    const { settings } = await setUpBackups(server, { PATH: await wrapTool(server, 'pg_dump', hanging) });
    const stopped = startProcess(['ops/main.ts', 'backup', '--output', join(target, 'f.dump')], settings);
    await waitFor('the dump', async () => (await listFiles(folder)).includes('begun'));
    expect(await listFiles(target)).toEqual(['f.dump.part']);

    expect(await stopped.stop('SIGINT')).toBe(130);
    expect(stopped.output()).toContain('Stopped by SIGINT.');
    expect(await listFiles(target)).toEqual([]);
  });

  test('fails while another backup is running', async () => {
    const fixture = await setUpBackups(server);
    await fixture.database.transaction(async (transaction) => {
      await transaction.raw('select pg_advisory_xact_lock(?)', [BACKUP_LOCK]);
      await transaction.raw('set local idle_in_transaction_session_timeout = 0');
      await expectFailure(fixture, /Another backup is running/);
    });
    await fixture.backUp();
  });
});

describe('backup --daily', () => {
  /** The time of day 20 hours from now, so that today's backup is either overdue or hours away. */
  const inTwentyHours = () => `${(new Date().getUTCHours() + 20) % 24}`;

  test('makes a missed backup immediately, then waits for the next one, and shuts down gracefully', async () => {
    const { settings, backups } = await setUpBackups(server, { BACKUP_AT: inTwentyHours() });
    await placeBackup(backups, 30 * Hour);
    const daily = startDailyBackups(settings);
    await waitFor('the rehearsal', () => daily.output().includes('was restored for a rehearsal'), 30_000);
    expect(await daily.stop()).toBe(0);
    const files = await listFiles(backups);
    expect(files.filter((name) => name !== 'rehearsal.json')).toHaveLength(4);
    for (const line of daily.output().trim().split('\n')) {
      expect(JSON.parse(line)).toMatchObject({ process: 'backup' });
    }

    const next = startDailyBackups(settings);
    await waitFor('the start', () => next.output().includes('Daily backups are scheduled.'));
    expect(await next.stop()).toBe(0);
    expect(await listFiles(backups)).toEqual(files);
  });

  test('raises an alert when it fails, and keeps running', async () => {
    const { settings, database } = await setUpBackups(server, { BACKUP_DIR: '/proc/backups' });
    const daily = startDailyBackups(settings);
    await waitFor('the alert', () => daily.output().includes('"alert":"backup-failed"'));
    expect(daily.output()).toMatch(/"reason":"There is not enough disk space/);
    expect(daily.hasExited()).toBe(false);
    expect(await daily.stop()).toBe(0);
    expect(await database('alerts').where({ channel: 'mail' })).toMatchObject([{ name: 'backup-failed' }]);
  });
});
