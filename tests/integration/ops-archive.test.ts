import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createArchiveRecord } from '../../ops/archive/archive-record.ts';
import { receiveWal } from '../../ops/archive/archive-server.ts';
import { listSnapshots, requireRepository, storeSnapshot } from '../../ops/repository/repository.ts';
import { selectKeptBases, selectKind } from '../../ops/repository/snapshots.ts';
import { loadConfig } from '../../shared/node/config/config.ts';
import { ARCHIVE_SLOT, readSlotUse, replaceSlot } from '../../shared/node/database/replication.ts';
import { readSuccess, recordSuccess } from '../../shared/node/files/backup-records.ts';
import { readInstallation } from '../../shared/node/monitoring/read-installation.ts';
import { createWorkerMetrics } from '../../shared/node/monitoring/site-metrics.ts';
import { Minute, Second } from '../../shared/time.ts';
import { placeBackup, setUpBackups, startDailyBackups } from '../support/backup-fixture.ts';
import { openDatabase } from '../support/database.ts';
import { REPOSITORY_PASSWORD, writeEmptyRepository } from '../support/empty-repository.ts';
import { startProcess, type Environment, type SiteProcess } from '../support/site-process.ts';
import { startSystemPostgres, type SystemPostgres } from '../support/system-postgres.ts';
import { waitFor } from '../support/wait-for.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

let server: SystemPostgres;
let archiveUrl: string;
/** No test looks at its rows, and each copy of the server's files has all of its databases. */
let databaseUrl: string;
/** The log of erasures belongs to the database. */
let erasures: string;
beforeAll(async () => {
  server = await startSystemPostgres();
  archiveUrl = await server.createReplicationRole();
  databaseUrl = await server.createMigratedDatabase();
  erasures = await mkdtemp(join(tmpdir(), 'test-erasures-'));
});
afterAll(async () => {
  await server.remove();
  await rm(erasures, { recursive: true });
});

async function setUpArchive(isMade = true) {
  const folder = makeTemporaryFolder();
  const repository = join(folder, 'repository');
  if (isMade) await writeEmptyRepository(repository);
  const changes = {
    ...{ DATABASE_ARCHIVE_URL: archiveUrl, ARCHIVE_DIR: join(folder, 'archive'), ERASURES_DIR: erasures },
    ...{ BACKUP_REPOSITORY: repository, BACKUP_REPOSITORY_PASSWORD: REPOSITORY_PASSWORD },
  };
  const fixture = await setUpBackups(server, changes, databaseUrl);
  // Else the archive's process makes a backup and restores it for a rehearsal.
  await placeBackup(fixture.backups, 0);

  return { ...fixture, readArchive: () => readSuccess(fixture.backups, 'archive') };
}

function startArchive(settings: Environment): SiteProcess {
  const archive = startProcess(['ops/main.ts', 'backup', '--daily', '--archive'], settings);
  onTestFinished(async () => {
    await archive.stop('SIGKILL');
  });

  return archive;
}

const isCopyMade = ({ output }: SiteProcess): boolean =>
  output().includes('A copy of the server’s files is in BACKUP_REPOSITORY.');

/** The database as a role that has been granted nothing. */
async function connectAsStranger(url: string) {
  const name = `stranger_${randomBytes(4).toString('hex')}`;
  await openDatabase(url, onTestFinished).raw(`create role ${name} login password 'word'`);

  return openDatabase(Object.assign(new URL(url), { username: name, password: 'word' }).href, onTestFinished);
}

test('the archive says in BACKUP_DIR up to when it has everything, which the worker and the doctor read, until it is turned off', async () => {
  const { settings, ops, readArchive } = await setUpArchive(false);
  const startedAt = Date.now();
  const archive = startArchive(settings);
  const first = await waitFor('the record', readArchive, 90_000);
  expect(archive.output()).toContain('A copy of the server’s files is in BACKUP_REPOSITORY.');
  expect(first.succeeded_at?.getTime()).toBeGreaterThan(startedAt);
  // Nothing is written meanwhile, so nothing is missing.
  await waitFor('a later record', async () => (await readArchive())?.succeeded_at?.getTime() !== first.succeeded_at?.getTime(), 60_000);
  expect((await ops('doctor')).output).toMatch(/^ok {4}archive +The archive has everything up to/m);
  expect((await ops('status')).output).toMatch(/^ {2}archive +20.* UTC, 0 minutes ago$/m);

  expect(await archive.stop()).toBe(0);
  const last = await readArchive();
  const { BACKUP_REPOSITORY: _repository, DATABASE_ARCHIVE_URL: _url, ...ofWorker } = settings;
  const installation = await readInstallation(loadConfig(ofWorker), await connectAsStranger(settings['DATABASE_URL'] ?? ''));
  const metrics = createWorkerMetrics();
  metrics.setInstallation(installation);
  const text = await metrics.registry.metrics();
  expect(text).toContain(`site_archive_last_success_timestamp_seconds ${(last?.succeeded_at?.getTime() ?? 0) / Second}\n`);
  expect(Number(/^site_archive_retained_bytes (\d+)$/m.exec(text)?.[1])).toBeLessThan(64 * 1024 ** 2);

  const without = startDailyBackups(settings);
  await waitFor('the start', () => without.output().includes('Daily backups are scheduled.'), 30_000);
  expect(await readArchive()).toBeUndefined();
  expect(await without.stop()).toBe(0);
});

test('an archive that begins anew makes one copy, keeps the one before with its log, and removes that log here', async () => {
  const { settings, readArchive } = await setUpArchive();
  const config = loadConfig(settings);
  const restic = requireRepository(config);
  const runUntilCopied = async () => {
    const archive = startArchive(settings);
    await waitFor('the copy', () => isCopyMade(archive), 90_000);
    const copiedAt = Date.now();
    await waitFor('what came until then', async () => Number((await readArchive())?.succeeded_at) > copiedAt, 60_000);
    expect(await archive.stop()).toBe(0);
    expect(archive.output()).not.toContain('The archive failed');

    return readdir(config.backup.archiveDirectory);
  };
  const [former = ''] = (await runUntilCopied()).filter((name) => name !== '.restic');
  // A server that was restored has no slot, and the same identifier.
  const database = openDatabase(settings['DATABASE_URL'] ?? '', onTestFinished);
  await waitFor('the slot', async () => !(await readSlotUse(database, ARCHIVE_SLOT))?.isActive, 30_000);
  await database.raw('select pg_drop_replication_slot(?)', [ARCHIVE_SLOT]);
  const [latter = '', ...others] = (await runUntilCopied()).filter((name) => name !== '.restic');

  expect(others).toEqual([]);
  expect(latter > former).toBe(true);
  const snapshots = await listSnapshots(restic);
  const bases = selectKind(snapshots, 'base');
  expect(bases.map(({ labels }) => labels['log'])).toEqual([latter, former]);
  expect(selectKeptBases(snapshots, new Date())).toEqual(bases);
});

test('a receiver that connects again while the server’s files are copied leaves the copy as good, and the only one', async () => {
  const { settings, readArchive } = await setUpArchive();
  const database = openDatabase(settings['DATABASE_URL'] ?? '', onTestFinished);
  const findConnections = (program: string) =>
    database('pg_stat_replication').where({ application_name: program }).select<Array<{ pid: number }>>('pid');
  const archive = startArchive(settings);
  await waitFor('the copy’s begin', async () => (await findConnections('pg_basebackup')).length > 0, 90_000);
  for (const { pid } of await findConnections('pg_receivewal')) await database.raw('select pg_terminate_backend(?)', [pid]);
  await waitFor('the lost connection', () => archive.output().includes('The archive failed and will be retried.'), 30_000);
  await waitFor('the copy', () => isCopyMade(archive), 90_000);
  const copiedAt = Date.now();
  await waitFor('what came until then', async () => Number((await readArchive())?.succeeded_at) > copiedAt, 60_000);

  expect(await archive.stop()).toBe(0);
  const snapshots = await listSnapshots(requireRepository(loadConfig(settings)));
  const bases = selectKind(snapshots, 'base');
  expect(bases).toHaveLength(1);
  expect(selectKeptBases(snapshots, new Date())).toEqual(bases);
});

test('files of another major of PostgreSQL are not restored, on which this one would not start', async () => {
  const { settings, ops } = await setUpArchive();
  const restic = requireRepository(loadConfig(settings));
  const folder = makeTemporaryFolder();
  await mkdir(join(folder, 'wal'));
  await writeFile(join(folder, 'PG_VERSION'), '11\n');
  await promisify(execFile)('tar', ['--create', `--file=${join(folder, 'base.tar')}`, `--directory=${folder}`, 'PG_VERSION']);
  const labels = { log: 'a', first: '01', start: '01' };
  await storeSnapshot(restic, { kind: 'base', folder, names: ['base.tar'], labels: { ...labels, end: new Date().toISOString() } });
  await storeSnapshot(restic, { kind: 'wal', folder, names: ['wal'], labels });

  expect((await ops('restore', '--check', '--at', 'latest')).output).toMatch(/^The archive would be restored to its end: /);
  const { exitCode, errorOutput } = await ops('restore', '--at', 'latest', '--into', join(folder, 'restored'));

  expect(exitCode).toBe(1);
  expect(errorOutput).toMatch(/are of PostgreSQL 11, and this version has \d+: restore them with the version of the site that had 11 /);
});

test('a folder that was set back to an earlier state is not stored, and the archive begins anew', async () => {
  // While restic derives a key of the usual cost, the receiver finds the log too, before the uploader removes it.
  const { settings } = await setUpArchive(false);
  const config = loadConfig(settings);
  const restic = requireRepository(config);
  const folder = config.backup.archiveDirectory;
  const snapshot = join(makeTemporaryFolder(), 'snapshot');
  const findNewest = async (log: string) =>
    selectKind(await listSnapshots(restic), 'wal').find(({ labels }) => labels['log'] === log)?.id;
  const runUntil = async (name: string, isDone: (archive: SiteProcess) => Promise<boolean> | boolean) => {
    const archive = startArchive(settings);
    await waitFor(name, () => isDone(archive), 90_000);
    expect(await archive.stop()).toBe(0);
  };
  await runUntil('the copy', isCopyMade);
  const [log = ''] = (await readdir(folder)).filter((name) => name !== '.restic');
  await cp(folder, snapshot, { recursive: true });
  const before = await findNewest(log);
  const listStored = () => readdir(join(settings['BACKUP_REPOSITORY'] ?? '', 'snapshots'));
  let stored = await listStored();
  const isUploaded = async () => {
    const last = stored;
    stored = await listStored();

    // Each question to restic is a process.
    return stored.join() !== last.join() && (await findNewest(log)) !== before;
  };
  await runUntil('one more upload', isUploaded);
  const newest = await findNewest(log);
  await rm(folder, { recursive: true });
  await cp(snapshot, folder, { recursive: true });
  await runUntil('another copy', (archive) => isCopyMade(archive) && archive.output().includes('"reason":"log-set-back"'));

  const names = (await readdir(folder)).filter((name) => name !== '.restic');
  expect(names).toHaveLength(1);
  expect(names).not.toContain(log);
  expect(await findNewest(log)).toBe(newest);
});

test('while the repository is away no more of the log waits than PostgreSQL would keep, and the archive goes on once it is back', async () => {
  const { settings, readArchive } = await setUpArchive();
  const { backup } = loadConfig(settings);
  const repository = settings['BACKUP_REPOSITORY'] ?? '';
  const database = openDatabase(settings['DATABASE_URL'] ?? '', onTestFinished);
  const setBound = async (value: string) => {
    await database.raw(`alter system set max_slot_wal_keep_size = '${value}'`);
    await database.raw('select pg_reload_conf()');
  };
  const fillSegment = async () => {
    await database.raw(`select pg_logical_emit_message(false, 'test', 'x'), pg_switch_wal()`);
  };
  const countSegments = async () =>
    (await readdir(backup.archiveDirectory, { recursive: true })).filter((name) => /wal\/[\dA-F]{24}/.test(name)).length;
  const archive = startArchive(settings);
  await waitFor('the copy', () => isCopyMade(archive), 90_000);

  await setBound('64MB');
  await rename(repository, `${repository}-away`);
  // An empty place would become a repository.
  await writeFile(repository, '');
  const isFull = () => archive.output().includes('ARCHIVE_DIR has as much of the log');
  await waitFor('the bound', async () => {
    // No faster than it is received: a slot that is lost is another failure, of which one a minute is logged.
    const retained = (await readSlotUse(database, ARCHIVE_SLOT))?.retainedBytes ?? 0;
    if (retained < 32 * 1024 ** 2) await fillSegment();

    return isFull();
  }, 60_000);
  const waiting = await countSegments();
  for (let segment = 0; segment < 10; segment += 1) await fillSegment();
  await database.raw('checkpoint');
  expect(await countSegments()).toBe(waiting);
  expect((await readSlotUse(database, ARCHIVE_SLOT))?.isActive).toBe(false);

  await rm(repository);
  await rename(`${repository}-away`, repository);
  const backAt = Date.now();
  await waitFor('a record of what came until then', async () => Number((await readArchive())?.succeeded_at) > backAt, 90_000);
  expect(await archive.stop()).toBe(0);
  await setBound('-1');
});

test('what was stored counts only where a copy leads to it, and while PostgreSQL sends its log', async () => {
  const { settings, backups, readArchive } = await setUpArchive();
  const database = openDatabase(settings['DATABASE_URL'] ?? '', onTestFinished);
  const stored = new Date();
  const record = createArchiveRecord(database, backups);
  record.setStored(stored);
  record.setBase(true);
  const isReceived = async () => (await readSlotUse(database, ARCHIVE_SLOT))?.isActive ?? false;
  await replaceSlot(archiveUrl, ARCHIVE_SLOT, (await readSlotUse(database, ARCHIVE_SLOT)) ? 'usable' : 'missing');
  await record.write();
  expect(await readArchive()).toBeUndefined();

  const stopping = new AbortController();
  const folder = join(makeTemporaryFolder(), 'wal');
  await mkdir(folder);
  const { programEnvironment } = loadConfig(settings);
  const received = receiveWal({ archiveUrl, programEnvironment }, folder, stopping.signal).catch(() => undefined);
  await waitFor('the receiver', isReceived, 30_000);
  record.setBase(false);
  await record.write();
  expect(await readArchive()).toBeUndefined();
  record.setBase(true);
  await record.write();
  expect(await readArchive()).toEqual({ succeeded_at: stored });
  stopping.abort();
  await received;
});

test('an archive that fails from the start is on record, and a later failure leaves its last success there', async () => {
  const { settings, backups, ops, readArchive } = await setUpArchive();
  const record = createArchiveRecord(openDatabase(settings['DATABASE_URL'] ?? '', onTestFinished), backups);
  record.setFailed();
  await record.write();
  expect(await readArchive()).toEqual({ succeeded_at: null });
  expect((await ops('doctor')).output).toMatch(/^warn {2}archive +The archive has failed since its start/m);

  const success = { succeeded_at: new Date(Date.now() - 16 * Minute) };
  await recordSuccess(backups, 'archive', success.succeeded_at);
  record.setFailed();
  await record.write();
  expect(await readArchive()).toEqual(success);
  expect((await ops('doctor')).output).toMatch(/^warn {2}archive +The archive has everything up to .* UTC only/m);
});
