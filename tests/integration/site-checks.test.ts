import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:tls';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeSiteChecks } from '../../jobs/health/site-checks.ts';
import { startAlertRecorder } from '../../shared/node/alerts/alert-recorder.ts';
import { loadConfig } from '../../shared/node/config/config.ts';
import { formatBackupName } from '../../shared/node/files/backup-files.ts';
import { recordFailedCopy, recordRehearsal } from '../../shared/node/files/backup-records.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { subscribeToAlerts } from '../../shared/node/logging/raised-alerts.ts';
import { createWorkerMetrics } from '../../shared/node/monitoring/site-metrics.ts';
import { readSiteCertificate } from '../../shared/node/outbound/read-certificate.ts';
import { Hour, Minute } from '../../shared/time.ts';
import { createCertificateAuthority } from '../support/certificates.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { storeDelivery, storeSubmission } from '../support/stored-requests.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const logger = createLogger({ level: 'silent', process: 'worker' });

/** Starts a server with a certificate for `name` that is valid for two days. Returns its PUBLIC_URL. */
async function serveCertificate(name: string): Promise<string> {
  const authority = await createCertificateAuthority();
  onTestFinished(authority.remove);
  const server: Server = createServer(await authority.issue(name)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());

  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Stores a verified backup with the given age in milliseconds. */
async function storeBackup(folder: string, age: number): Promise<void> {
  const path = join(folder, formatBackupName(new Date(Date.now() - age)));
  await writeFile(path, 'dump');
  await writeFile(`${path}.sha256`, `${'0'.repeat(64)}  dump\n`);
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
  const check = makeSiteChecks({ config, database, metrics, logger });

  return {
    backups,
    database,
    /** Runs the checks. Returns how often each alert has been raised, ignoring those about the machine's disks. */
    check: async () => {
      await check();
      await recorder.flush();
      const rows = await database('alerts').where({ channel: 'mail' }).whereNot({ name: 'disk-low' }).orderBy('name');

      return Object.fromEntries((rows as Array<{ name: string; count: number }>).map(({ name, count }) => [name, count]));
    },
    /** Lists the checks whose gauge is 1. */
    listFailed: async () =>
      [...(await metrics.registry.metrics()).matchAll(/^site_check_failed\{check="(.+)"\} 1$/gm)].map(([, name]) => name),
  };
}

describe('the worker', () => {
  test('raises an alert once a day about a failed check, and exports the failure as a metric', async () => {
    const { backups, check, database, listFailed } = await setUp();
    await storeBackup(backups, 27 * Hour);

    expect(await check()).toEqual({ 'backup-late': 1 });
    expect(await check()).toEqual({ 'backup-late': 1 });
    expect(await listFailed()).toContain('backup');

    await database('alerts').update({ last_raised_at: new Date(Date.now() - 24 * Hour) });
    expect(await check()).toEqual({ 'backup-late': 2 });
    await database('alerts').update({ last_raised_at: new Date(Date.now() - 24 * Hour) });
    await storeBackup(backups, 1 * Hour);
    expect(await check()).toEqual({ 'backup-late': 2 });
    expect(await listFailed()).not.toContain('backup');
  });

  test('raises an alert again if a second check with the same alert fails', async () => {
    const erasures = join(makeTemporaryFolder(), 'erasures');
    await mkdir(erasures);
    const { backups, check } = await setUp({ ERASURES_DIR: erasures, REDIS_URL: 'redis://127.0.0.1:1' });
    await storeBackup(backups, 1 * Hour);
    expect(await check()).toEqual({ 'check-failed': 1 });
    await rm(erasures, { recursive: true });
    await writeFile(erasures, 'not a folder');

    expect(await check()).toMatchObject({ 'check-failed': 2 });
  });

  test('raises an alert for every failed check', async () => {
    const { backups, check, database, listFailed } = await setUp({
      PUBLIC_URL: await serveCertificate('DNS:elsewhere.test'),
      REDIS_URL: 'redis://127.0.0.1:1',
    });
    await database('erasures').insert({ subject_hash: 'hash', subject_kind: 'email', key_id: 'key', erased_at: new Date() });
    await database('delivery_hold').insert({ backup_at: null });
    await recordRehearsal(backups, { backup: 'site-1.dump', error: 'It differs.' });
    await recordFailedCopy(backups);
    const submission = await storeSubmission(database);
    await storeDelivery(database, submission, { due_at: new Date(Date.now() - 6 * Minute) });
    await storeDelivery(database, submission, { stage: 'reminder', state: 'dead' });

    expect(await check()).toEqual({
      ...{ 'backup-copy-late': 1, 'backup-late': 1, 'certificate-expiring': 1, 'check-failed': 1 },
      ...{ 'deliveries-held': 1, 'delivery-dead': 1, 'delivery-overdue': 1 },
      ...{ 'erasure-log-incomplete': 1, 'rehearsal-failed': 1 },
    });
    expect(await listFailed()).toEqual(expect.arrayContaining(['redis', 'hold', 'rehearsal', 'backup copy', 'erasures']));
  });

  test('raises an alert even while PostgreSQL is down', async () => {
    const DATABASE_URL = 'postgres://nobody@127.0.0.1:1/none';
    const erasures = join(makeTemporaryFolder(), 'erasures');
    await writeFile(erasures, 'not a folder');
    const config = loadConfig({ DATABASE_URL, ERASURES_DIR: erasures });
    const raised: string[] = [];
    onTestFinished(subscribeToAlerts(({ name }) => void raised.push(name)));
    await makeSiteChecks({ config, database: openDatabase(DATABASE_URL, onTestFinished), metrics: createWorkerMetrics(), logger })();

    expect(raised).toContain('check-failed');
  });
});

test('PUBLIC_URL’s certificate may come from any issuer, and the check reports whether it names the host', async () => {
  const matching = await readSiteCertificate(await serveCertificate('IP:127.0.0.1'));
  const other = await readSiteCertificate(await serveCertificate('DNS:elsewhere.test'));

  expect(matching).toMatchObject({ namesHost: true, validUntil: expect.any(Date) });
  expect(other).toMatchObject({ namesHost: false });
  expect(await readSiteCertificate('https://127.0.0.1:1')).toEqual({ unreachable: 'ECONNREFUSED' });
  expect(await readSiteCertificate('http://www.example.com')).toBeUndefined();
});
