import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:tls';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeInstallationCheck } from '../../jobs/health/installation-check.ts';
import { startAlertRecorder } from '../../shared/node/alerts/alert-recorder.ts';
import { loadConfig } from '../../shared/node/config/config.ts';
import { formatBackupName } from '../../shared/node/files/backup-files.ts';
import {
  readRehearsal,
  recordCopy,
  recordFailedCopy,
  recordRehearsal,
  removeCopyRecord,
} from '../../shared/node/files/backup-records.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { createWorkerMetrics } from '../../shared/node/monitoring/site-metrics.ts';
import { readSiteCertificate } from '../../shared/node/outbound/read-certificate.ts';
import { Day, Hour, Minute, Second } from '../../shared/time.ts';
import { createCertificateAuthority } from '../support/certificates.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const logger = createLogger({ level: 'silent', process: 'worker' });

/** A server with a certificate for `name` that is valid for two days; its PUBLIC_URL. */
async function serveCertificate(name: string): Promise<string> {
  const authority = await createCertificateAuthority();
  onTestFinished(authority.remove);
  const server: Server = createServer(await authority.issue(name)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());

  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Stores a verified backup of that age, in milliseconds. */
async function storeBackup(folder: string, age: number): Promise<void> {
  const path = join(folder, formatBackupName(new Date(Date.now() - age)));
  await writeFile(path, 'dump');
  await writeFile(`${path}.sha256`, 'hash');
}

async function setUp(settings: Readonly<Record<string, string>> = {}) {
  const folder = makeTemporaryFolder();
  const backups = join(folder, 'backups');
  await mkdir(backups);
  const config = loadConfig({
    DATABASE_URL: await createMigratedDatabase(),
    BACKUP_DIR: backups,
    ERASURES_DIR: folder,
    MAIL_DIR: folder,
    CRM_DIR: folder,
    ...settings,
  });
  const database = openDatabase(config.databaseUrl, onTestFinished);
  const recorder = startAlertRecorder(database, logger);
  onTestFinished(recorder.stop);
  const metrics = createWorkerMetrics();
  const check = makeInstallationCheck({ config, database, metrics, logger });

  return {
    backups,
    database,
    /** The names of the alerts that a check raised first; of the machine's disks none. */
    check: async () => {
      await check();
      await recorder.flush();
      const rows = await database('alerts').where({ channel: 'mail' }).whereNot({ name: 'disk-low' }).orderBy('name');

      return Object.fromEntries((rows as Array<{ name: string; count: number }>).map(({ name, count }) => [name, count]));
    },
    readMetrics: () => metrics.registry.metrics(),
  };
}

describe('the worker', () => {
  test('raises an alert once a day about an old backup, and shows it and the certificate as metrics', async () => {
    const { backups, check, database, readMetrics } = await setUp({ PUBLIC_URL: await serveCertificate('IP:127.0.0.1') });
    await storeBackup(backups, 27 * Hour);

    expect(await check()).toEqual({ 'backup-late': 1 });
    expect(await check()).toEqual({ 'backup-late': 1 });
    const metrics = await readMetrics();
    const read = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1]);
    const now = Date.now() / Second;
    expect(read('site_backup_last_success_timestamp_seconds')).toBeCloseTo(now - 27 * 3600, -2);
    expect(read('site_certificate_not_after_timestamp_seconds')).toBeCloseTo(now + (2 * Day) / Second, -3);
    expect(metrics).toMatch(/^site_disk_free_ratio\{folder="backups"\} 0\.\d+$/m);
    expect(metrics).toMatch(/^site_erasure_log_complete 1$/m);
    expect(metrics).not.toMatch(/^site_image/m);

    await database('alerts').update({ last_raised_at: new Date(Date.now() - 24 * Hour) });
    expect(await check()).toEqual({ 'backup-late': 2 });
    await database('alerts').update({ last_raised_at: new Date(Date.now() - 24 * Hour) });
    await storeBackup(backups, 1 * Hour);
    expect(await check()).toEqual({ 'backup-late': 2 });
  });

  test('raises one about a missing backup and a missing erasure log', async () => {
    const { check, database, readMetrics } = await setUp();
    await database('erasures').insert({
      subject_hash: 'hash',
      subject_kind: 'email',
      key_id: 'key',
      erased_at: new Date(),
    });

    expect(await check()).toEqual({ 'backup-late': 1, 'erasure-log-incomplete': 1 });
    const metrics = await readMetrics();
    expect(metrics).toMatch(/^site_backup_last_success_timestamp_seconds 0$/m);
    expect(metrics).toMatch(/^site_erasure_log_complete 0$/m);
    expect(metrics).not.toMatch(/^site_certificate/m);
  });

  test('shows when a rehearsal of a restore last succeeded, and whether the last one failed', async () => {
    const { backups, check, readMetrics } = await setUp();
    await storeBackup(backups, 1 * Hour);
    expect(await check()).toEqual({});
    expect(await readMetrics()).not.toMatch(/^site_rehearsal/m);

    await recordRehearsal(backups, { backup: 'site-1.dump', error: 'It differs.' });
    await check();
    expect(await readMetrics()).toMatch(/^site_rehearsal_last_success_timestamp_seconds 0$/m);
    expect(await readMetrics()).toMatch(/^site_rehearsal_failed 1$/m);

    await recordRehearsal(backups, { backup: 'site-2.dump', error: null });
    await check();
    const succeededAt = (await readRehearsal(backups))?.succeeded_at?.getTime() ?? 0;
    expect(succeededAt).toBeGreaterThan(Date.now() - 1 * Minute);
    expect(await readMetrics()).toContain(`site_rehearsal_last_success_timestamp_seconds ${succeededAt / Second}\n`);
    expect(await readMetrics()).toMatch(/^site_rehearsal_failed 0$/m);

    await recordRehearsal(backups, { backup: 'site-3.dump', error: 'It differs.' });
    expect(await check()).toEqual({});
    expect(await readMetrics()).toContain(`site_rehearsal_last_success_timestamp_seconds ${succeededAt / Second}\n`);
    expect(await readMetrics()).toMatch(/^site_rehearsal_failed 1$/m);
  });

  test('raises one about a copy that no longer gets to the repository, of which it has no secret', async () => {
    const { backups, check, readMetrics } = await setUp();
    await storeBackup(backups, 1 * Hour);
    const copiedAt = new Date(Date.now() - 25 * Hour);
    await recordCopy(backups, copiedAt);
    expect(await check()).toEqual({});
    const name = 'site_backup_copy_last_success_timestamp_seconds';
    expect(await readMetrics()).toContain(`${name} ${copiedAt.getTime() / Second}\n`);

    await recordCopy(backups, new Date(Date.now() - 27 * Hour));
    expect(await check()).toEqual({ 'backup-copy-late': 1 });
    await removeCopyRecord(backups);
    await recordFailedCopy(backups);
    await check();
    expect(await readMetrics()).toContain(`${name} 0\n`);
    await removeCopyRecord(backups);
    await check();
    expect(await readMetrics()).not.toMatch(/^site_backup_copy/m);
  });

  test('raises none where no backups are made, and shows none', async () => {
    const { check, readMetrics } = await setUp({ BACKUP_DIR: '/nonexistent/backups' });

    expect(await check()).toEqual({});
    expect(await readMetrics()).not.toMatch(/^site_backup/m);
  });
});

describe('the certificate of PUBLIC_URL', () => {
  test('is read whoever issued it, with whether it names the host', async () => {
    const own = await readSiteCertificate(await serveCertificate('IP:127.0.0.1'));
    expect(own).toMatchObject({ namesHost: true, validUntil: expect.any(Date) });

    const foreign = await readSiteCertificate(await serveCertificate('DNS:elsewhere.test'));
    expect(foreign).toMatchObject({ namesHost: false });
  });

  test('is unknown where nothing answers, and none without HTTPS', async () => {
    expect(await readSiteCertificate('https://127.0.0.1:1')).toEqual({ unreachable: 'ECONNREFUSED' });
    expect(await readSiteCertificate('http://www.example.com')).toBeUndefined();
  });
});
