import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Day, Hour } from '../../shared/time.ts';
import {
  listFiles,
  setUpBackups,
  unlessVersion,
  wrapTool,
  type BackupBench,
} from '../support/backup-bench.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { makeFolder, storeSubmission } from '../support/ops-bench.ts';
import { startProcess, type Environment } from '../support/site-process.ts';
import { startSystemPostgres, type SystemPostgres } from '../support/system-postgres.ts';
import { waitFor } from '../support/wait-for.ts';

let server: SystemPostgres;
beforeAll(async () => {
  server = await startSystemPostgres();
});
afterAll(() => server.remove());

const LOCK = 0x6261636b;

/** A verified backup of so long ago, as the tool names it. */
async function placeBackup(folder: string, ageMs: number): Promise<string> {
  const time = new Date(Date.now() - ageMs).toISOString().replaceAll(/[-:.]/g, '');
  const name = `site-${time}.dump`;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), 'dump');
  const hash = createHash('sha256').update('dump').digest('hex');
  await writeFile(join(folder, `${name}.sha256`), `${hash}  ${name}\n`);

  return name;
}

async function expectFault({ ops }: BackupBench, words: RegExp, ...args: string[]) {
  const result = await ops('backup', ...args);
  expect(result).toMatchObject({ exitCode: 1, complaints: expect.stringMatching(words) });

  return result;
}

describe('backup', () => {
  test('writes a file that only its owner can read, with a hash that sha256sum takes, and says what is in it', async () => {
    const { ops, database, backups } = await setUpBackups(server);
    await storeSubmission(database);

    const { exitCode, output } = await ops('backup');
    expect(exitCode).toBe(0);
    expect(output).toMatch(/contact_submissions[ │|]+1 /);
    expect(output).toMatch(/MB, verified\./);
    const [name = '', note, ...others] = await listFiles(backups);
    expect(name).toMatch(/^site-\d{8}T\d{9}Z\.dump$/);
    expect([note, ...others]).toEqual([`${name}.sha256`]);
    for (const file of [name, `${name}.sha256`]) {
      expect((await stat(join(backups, file))).mode & 0o777).toBe(0o600);
    }
    expect((await stat(backups)).mode & 0o777).toBe(0o700);
    await promisify(execFile)('sha256sum', ['--check', `${name}.sha256`], { cwd: backups });
  });

  test('as JSON, into a file of one’s own, deletes nothing', async () => {
    const { ops, database, backups } = await setUpBackups(server, { BACKUP_KEEP: '1' });
    await storeSubmission(database);
    const old = await placeBackup(backups, Day);
    const file = join(await makeFolder(), 'own.dump');

    const { output } = await ops('backup', '--json', '--output', file);
    const made = JSON.parse(output) as Record<string, unknown>;
    expect(made).toMatchObject({ file, removed: [], rows: { contact_submissions: 1, deliveries: 0 } });
    expect(made['bytes']).toBe((await stat(file)).size);
    expect(await readFile(`${file}.sha256`, 'utf8')).toBe(`${String(made['sha256'])}  own.dump\n`);
    expect(await listFiles(backups)).toEqual([old, `${old}.sha256`]);
    const again = await ops('backup', '--output', file);
    expect(again.exitCode).toBe(1);
    expect(again.complaints).toContain('is there already');
  });

  test('keeps the newest, and touches no file that isn’t its own', async () => {
    const { backUp, backups } = await setUpBackups(server, { BACKUP_KEEP: '2' });
    const old = await placeBackup(backups, 3 * Day);
    const younger = await placeBackup(backups, 2 * Day);
    const strange = ['before-upgrade.dump', 'site-20200101T000000000Z.dump', 'site.dump.part'];
    for (const name of strange) await writeFile(join(backups, name), 'mine');
    await writeFile(join(backups, 'site-20200101T000000001Z.dump.part'), 'left by one that was killed');

    const first = basename(await backUp());
    expect(await listFiles(backups)).toEqual(
      [...strange, ...[younger, first].flatMap((name) => [name, `${name}.sha256`])].sort(),
    );
    const second = basename(await backUp('--keep', '1'));
    expect(await listFiles(backups)).toEqual([...strange, second, `${second}.sha256`].sort());
    expect(old).not.toBe(younger);
  });

  test('gives the password to the tool by its environment only, and nothing else that is secret', async () => {
    const folder = await makeFolder();
    const script = `printf '%s\\n' "$@" >> ${folder}/args; env >> ${folder}/env; exec $REAL "$@"`;
    const { ops, settings } = await setUpBackups(server, {
      PATH: await wrapTool(server, 'pg_dump', script),
      SMTP_URL: 'smtp://user:mail-secret@127.0.0.1:1',
    });
    const { password } = new URL(settings['DATABASE_URL'] ?? '');

    const { exitCode, output, complaints } = await ops('backup');
    expect(exitCode).toBe(0);
    const args = await readFile(join(folder, 'args'), 'utf8');
    expect(args).toContain('--dbname=postgres://postgres@127.0.0.1');
    expect(args + output + complaints).not.toContain(password);
    const env = await readFile(join(folder, 'env'), 'utf8');
    expect(env.match(new RegExp(password, 'g'))).toHaveLength(1);
    expect(env).toContain(`PGPASSWORD=${password}`);
    expect(env).not.toMatch(/mail-secret|COOKIE_SECRET|DATABASE_URL/);
  });

  test('stops where the tools are missing, or of another major than the server', async () => {
    const missing = await setUpBackups(server, { PATH: await makeFolder() });
    await expectFault(missing, /pg_dump is not installed.*ops image/);

    const other = await setUpBackups(server, {}, await createMigratedDatabase());
    await expectFault(other, /pg_dump is of PostgreSQL 1\d, the server of 18/);
    const { complaints, exitCode } = await other.ops('restore', '/tmp/any.dump');
    expect(complaints).toMatch(/pg_restore is of PostgreSQL 1\d, the server of 18/);
    expect(exitCode).toBe(1);
  });

  test('stops before it writes where there is no room', async () => {
    // A file system of the kernel's that has no room at all.
    const bench = await setUpBackups(server, { BACKUP_DIR: '/proc/backups' });
    await expectFault(bench, /no room for a backup: \/proc\/backups has 0 MB free, the database has \d+ MB/);
  });

  test('that fails leaves nothing, deletes nothing, and repeats no row of the database', async () => {
    const words = 'pg_dump: error: it broke\\nDETAIL:  Key (email)=(ada@example.org) exists.';
    const failing = unlessVersion(`printf '${words}\\n' >&2; exit 1`);
    const bench = await setUpBackups(server, {
      PATH: await wrapTool(server, 'pg_dump', failing),
      BACKUP_KEEP: '1',
    });
    const olds = [await placeBackup(bench.backups, 2 * Day), await placeBackup(bench.backups, Day)];

    const { complaints } = await expectFault(bench, /pg_dump failed: .*it broke/);
    expect(complaints).not.toContain('ada@');
    expect(await listFiles(bench.backups)).toEqual(olds.flatMap((name) => [name, `${name}.sha256`]));
  });

  test('that lacks a table is no backup', async () => {
    const lacking = unlessVersion('exec $REAL "$@" --exclude-table=erasures');
    const bench = await setUpBackups(server, { PATH: await wrapTool(server, 'pg_dump', lacking) });

    await expectFault(bench, /lacks public\.erasures/);
    expect(await listFiles(bench.backups)).toEqual([]);
  });

  test('is made by one at a time', async () => {
    const bench = await setUpBackups(server);
    await bench.database.transaction(async (transaction) => {
      await transaction.raw('select pg_advisory_xact_lock(?)', [LOCK]);
      await transaction.raw('set local idle_in_transaction_session_timeout = 0');
      await expectFault(bench, /Another backup is being made right now/);
    });
    await bench.backUp();
  });

  test('called wrongly ends with 2', async () => {
    const { ops } = await setUpBackups(server);
    const wrong = [['--keep', '0'], ['--daily', '--json'], ['--output', 'x', '--keep', '3']];
    for (const args of wrong) expect(await ops('backup', ...args)).toMatchObject({ exitCode: 2 });
    expect(await ops('restore')).toMatchObject({ exitCode: 2 });
  });
});

describe('backup --daily', () => {
  const startDaily = (settings: Environment) => {
    const daily = startProcess(['ops/main.ts', 'backup', '--daily'], settings);
    onTestFinished(async () => {
      await daily.stop('SIGKILL');
    });

    return daily;
  };
  /** A time of day that is not to come for hours. */
  const longAgo = () => `${(new Date().getUTCHours() + 20) % 24}`;

  test('makes up for a missed day at once, then waits, and ends in order', async () => {
    const { settings, backups } = await setUpBackups(server, { BACKUP_AT: longAgo() });
    await placeBackup(backups, 30 * Hour);
    const daily = startDaily(settings);
    await waitFor('the backup', () => daily.output().includes('A backup is made.'));
    expect(await daily.stop()).toBe(0);
    const files = await listFiles(backups);
    expect(files).toHaveLength(4);
    for (const line of daily.output().trim().split('\n')) {
      expect(JSON.parse(line)).toMatchObject({ process: 'backup' });
    }

    const next = startDaily(settings);
    await waitFor('the start', () => next.output().includes('Daily backups are on.'));
    expect(await next.stop()).toBe(0);
    expect(await listFiles(backups)).toEqual(files);
  });

  test('raises an alert when it fails, and goes on', async () => {
    const { settings, database } = await setUpBackups(server, { BACKUP_DIR: '/proc/backups' });
    const daily = startDaily(settings);
    await waitFor('the alert', () => daily.output().includes('"alert":"backup-failed"'));
    expect(daily.output()).toMatch(/"reason":"There is no room/);
    expect(daily.hasExited()).toBe(false);
    expect(await daily.stop()).toBe(0);
    expect(await database('alerts').where({ channel: 'mail' })).toMatchObject([{ name: 'backup-failed' }]);
  });

  test('gives up what it is making when it is told to end', async () => {
    const folder = await makeFolder();
    const hanging = unlessVersion(`echo > ${folder}/begun; exec sleep 600`);
    const { settings, backups } = await setUpBackups(server, {
      PATH: await wrapTool(server, 'pg_dump', hanging),
    });
    const daily = startDaily(settings);
    await waitFor('the dump', async () => (await listFiles(folder)).includes('begun'));
    expect(await daily.stop()).toBe(0);
    expect(await listFiles(backups)).toEqual([]);
    expect(daily.output()).not.toContain('backup-failed');
  });
});

describe('doctor', () => {
  const readFinding = async ({ ops }: BackupBench) => {
    const { output } = await ops('doctor', '--json');
    const { findings } = JSON.parse(output) as {
      findings: Array<{ check: string; status: string; detail: string }>;
    };

    return findings.find(({ check }) => check === 'backup');
  };

  test('tells of the newest verified backup', async () => {
    const bench = await setUpBackups(server);
    expect(await readFinding(bench)).toMatchObject({ status: 'info' });

    await mkdir(bench.backups);
    expect(await readFinding(bench)).toMatchObject({ status: 'warn', detail: expect.stringContaining('no verified backup') });
    const old = await placeBackup(bench.backups, 27 * Hour);
    expect(await readFinding(bench)).toMatchObject({ status: 'warn', detail: expect.stringMatching(`${old}, is 27.0 hours old`) });
    const young = await placeBackup(bench.backups, 25 * Hour);
    expect(await readFinding(bench)).toMatchObject({ status: 'ok' });
    await writeFile(join(bench.backups, `${young}.sha256`), '');
    expect(await readFinding(bench)).toMatchObject({ status: 'warn', detail: expect.stringContaining('says nothing') });
  });
});

test('the container’s health is red until there is a backup, and when the newest is over 26 hours old', async () => {
  const { settings, backups } = await setUpBackups(server);
  const look = async () => {
    const check = startProcess('ops/check-backup-health.ts', settings);
    await waitFor('the end of the check', check.hasExited);

    return { exitCode: await check.stop(), output: check.output() };
  };
  expect((await look()).exitCode).toBe(1);
  await placeBackup(backups, 27 * Hour);
  expect(await look()).toEqual({ exitCode: 1, output: expect.stringContaining('27.0 hours old') });
  await placeBackup(backups, 25 * Hour);
  expect(await look()).toEqual({ exitCode: 0, output: '' });
});
