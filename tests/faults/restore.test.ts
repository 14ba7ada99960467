import { randomBytes, randomUUID } from 'node:crypto';
import { readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrationSource } from '../../migrations/migration-source.ts';
import { pauseUntilProviderIsSet } from '../../shared/node/deliveries/delivery-pauses.ts';
import { readLongestWaitMs } from '../../shared/node/deliveries/sweep-queries.ts';
import { migrateDatabase } from '../../shared/node/database/migrate.ts';
import { PREVIOUS_NEWEST_MIGRATION } from '../../shared/node/database/schema.ts';
import { Hour } from '../../shared/time.ts';
import { siteTables } from '../../ops/restore/restore-backup.ts';
import { earlierReport } from '../support/delivery-fixture.ts';
import { ago } from '../support/ago.ts';
import {
  writeHash,
  readAllRows,
  restoreToNewDatabase,
  setUpBackups,
  type BackupFixture,
} from '../support/backup-fixture.ts';
import { openWorker } from '../support/open-site.ts';
import {
  inDatabase,
  setUpOps,
  storeDelivery,
  storeSubmission,
  type OpsFixture,
} from '../support/ops-fixture.ts';
import { startSmtpSink } from '../support/smtp-sink.ts';
import { startSystemPostgres, type SystemPostgres } from '../support/system-postgres.ts';
import { waitFor } from '../support/wait-for.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

let server: SystemPostgres;
beforeAll(async () => {
  server = await startSystemPostgres();
});
afterAll(() => server.remove());

const getUrl = ({ settings }: BackupFixture) => settings['DATABASE_URL'] ?? '';

async function expectRefusal(fixture: BackupFixture, file: string, message: RegExp) {
  const result = await fixture.ops('restore', file);
  expect(result).toMatchObject({ exitCode: 1, errorOutput: expect.stringMatching(message) });
}

/** Creates an empty database and keeps the other settings. */
const setUpEmpty = async ({ settings }: BackupFixture) =>
  setUpBackups(server, settings, await server.createEmptyDatabase());

describe('restore', () => {
  test('restores every row into an empty database, or into one that only a worker has used', async () => {
    const fixture = await setUpBackups(server);
    const id = await storeSubmission(fixture.database);
    await storeDelivery(fixture.database, id, { state: 'sent', remote_steps: { contact: '4711' } });
    await fixture.database('newsletter_subscriptions').insert({ email: 'bob@example.org' });
    await fixture.database('erasures').insert({
      ...{ subject_hash: 'a'.repeat(64), subject_kind: 'email', key_id: 'b'.repeat(16) },
      erased_at: new Date(),
    });
    const file = await fixture.backUp();
    const rows = await readAllRows(getUrl(fixture));

    const started = await server.createMigratedDatabase();
    await inDatabase(started, async (database) => {
      // A worker with CRM_PROVIDER=none stores this row.
      await pauseUntilProviderIsSet(database, 'crm-export');
      await database('erasure_list').insert({ id: randomUUID() });
    });
    const urls = [await server.createEmptyDatabase(), started];
    for (const url of urls) {
      const other = await setUpBackups(server, {}, url);
      const { exitCode, output, errorOutput } = await other.ops('restore', file);
      expect(exitCode, errorOutput).toBe(0);
      expect(output).toMatch(/Nothing is sent until you release the deliveries/);
      expect(output + errorOutput).not.toMatch(/ada|bob/i);
      expect(await readAllRows(url)).toEqual(rows);
      expect(await migrateDatabase(url, migrationSource)).toEqual([]);
      const [hold] = await other.database('delivery_hold');
      expect(hold?.backup_at?.getTime()).toBeLessThanOrEqual(hold?.held_at.getTime() ?? 0);
    }
  });

  test('is refused if the database has rows or other tables, or if another program is connected', async () => {
    const fixture = await setUpBackups(server);
    await storeSubmission(fixture.database);
    const file = await fixture.backUp();

    const filled = await setUpBackups(server);
    await inDatabase(getUrl(filled), (database) => storeSubmission(database));
    await expectRefusal(filled, file, /isn't empty \(contact_submissions\).*empty database/);

    const url = await server.createEmptyDatabase();
    await inDatabase(url, (database) => database.raw('create table strangers (id int)'));
    await expectRefusal(await setUpBackups(server, {}, url), file, /other tables \(public\.strangers\)/);

    const used = await setUpEmpty(fixture);
    await used.database.raw('select 1');
    await expectRefusal(used, file, /Other programs are connected to the database \(test\)/);
    expect(await used.database.schema.hasTable('delivery_hold')).toBe(false);
  });

  test('is refused if the file is damaged, isn’t a dump or has no hash', async () => {
    const fixture = await setUpBackups(server);
    const file = await fixture.backUp();
    const note = await readFile(`${file}.sha256`, 'utf8');
    const empty = await setUpEmpty(fixture);

    await writeFile(`${file}.sha256`, '');
    await expectRefusal(empty, file, /sha256 is missing or contains no hash/);
    await writeFile(`${file}.sha256`, note.replace(/^./, (digit) => (digit === '0' ? '1' : '0')));
    await expectRefusal(empty, file, /is damaged/);
    const check = await empty.ops('restore', '--check', file);
    expect(check.exitCode).toBe(1);
    expect(check.errorOutput).toMatch(/is damaged/);
    await expectRefusal(empty, join(fixture.backups, 'none.dump'), /none\.dump can't be used \(ENOENT\)/);
    const text = join(fixture.backups, 'text.dump');
    await writeFile(text, 'no dump');
    await writeHash(text);
    await expectRefusal(empty, text, /pg_restore failed: /);
    expect(await readAllRows(getUrl(empty))).toEqual({});
  });

  test('can be checked in advance, even without PostgreSQL', async () => {
    const fixture = await setUpBackups(server);
    const file = await fixture.backUp();
    const { ops } = await setUpOps({ DATABASE_URL: 'postgres://website:secret@127.0.0.1:1/website' });
    const { exitCode, output, errorOutput } = await ops('restore', '--check', file);

    expect(errorOutput).toBe('');
    expect(output).toMatch(/\.dump is intact, .*made on .* UTC\. The database was not changed\.$/m);
    expect(exitCode).toBe(0);
  });

  test('from a truncated or damaged dump changes nothing, and can be repeated with an intact dump', async () => {
    const fixture = await setUpBackups(server);
    // The messages make up most of the file.
    for (let count = 0; count < 200; count += 1) {
      await storeSubmission(fixture.database, { message: randomBytes(2_000).toString('hex') });
    }
    const file = await fixture.backUp();
    const whole = await readFile(file);
    const empty = await setUpEmpty(fixture);

    await truncate(file, whole.length - 500);
    await writeHash(file);
    await expectRefusal(empty, file, /pg_restore failed: /);
    const middle = Math.floor(whole.length / 2);
    const damaged = Buffer.from(whole).fill(0xff, middle, middle + 64);
    await writeFile(file, damaged);
    await writeHash(file);
    await expectRefusal(empty, file, /pg_restore failed: .*\nNothing was restored/s);
    expect(await readAllRows(getUrl(empty))).toEqual({});

    await writeFile(file, whole);
    await writeHash(file);
    expect(await empty.ops('restore', file)).toMatchObject({ exitCode: 0 });
  });

  test('from a newer version is refused, and migrating after a restore from an older version keeps the hold', async () => {
    const fixture = await setUpBackups(server);
    const empty = await setUpEmpty(fixture);
    await fixture.database('knex_migrations').insert({ name: '29990101000000_fly.ts' });
    await expectRefusal(empty, await fixture.backUp(), /newer version of the site .*29990101000000_fly\.ts/);
    await fixture.database('knex_migrations').where({ name: '29990101000000_fly.ts' }).delete();

    const all = await migrationSource.getMigrations([]);
    const released = all.filter((name) => name <= PREVIOUS_NEWEST_MIGRATION);
    const older = await setUpEmpty(fixture);
    await migrateDatabase(getUrl(older), { ...migrationSource, getMigrations: async () => released });
    await storeSubmission(older.database);
    expect(await empty.ops('restore', await older.backUp())).toMatchObject({ exitCode: 0 });
    expect(await migrateDatabase(getUrl(empty), migrationSource)).toEqual(all.slice(released.length));
    expect(await empty.database('delivery_hold')).toHaveLength(1);
    expect(await empty.database('contact_submissions')).toHaveLength(1);
  });

  test('knows every table that the migrations create', async () => {
    const { database } = await setUpBackups(server);
    const tables = await database('information_schema.tables')
      .where({ table_schema: 'public' })
      .select<Array<{ table_name: string }>>('table_name');

    expect(tables.map(({ table_name: name }) => name).sort()).toEqual([...siteTables].sort());
  });
});

/** Stores three due deliveries of different kinds, one that is due later and one that was sent. */
async function storeOwed({ database }: BackupFixture) {
  const id = await storeSubmission(database);
  const [subscription] = await database('newsletter_subscriptions')
    .insert({ email: 'bob@example.org' })
    .returning('id');
  await storeDelivery(database, id, { state: 'sent', sent_at: ago(Hour), due_at: ago(Hour) });
  await storeDelivery(database, id, { stage: 'reminder', due_at: ago(Hour) });
  await storeDelivery(database, id, { stage: 'due', due_at: new Date(Date.now() + Hour) });
  await storeDelivery(database, id, { kind: 'crm-export', stage: null, due_at: ago(Hour) });
  await database('deliveries').insert({
    ...{ subscription_id: subscription?.id ?? '', kind: 'newsletter', due_at: ago(Hour) },
  });

  return id;
}

describe('the hold', () => {
  test('stops every kind of delivery and the report, even if a worker restarts, and its release sends due deliveries once', async () => {
    const sink = await startSmtpSink();
    const fixture = await setUpBackups(server, { SMTP_URL: sink.url, REPORT_AT: 'Mon 0' });
    await storeOwed(fixture);
    await fixture.database('deliveries').insert(earlierReport);
    const restored = await restoreToNewDatabase(server, fixture, await fixture.backUp());
    const { database, settings, ops } = restored;

    for (let start = 0; start < 2; start += 1) {
      const worker = await openWorker(settings);
      await expect.poll(worker.output, { timeout: 10_000 }).toContain('"alert":"deliveries-held"');
      // The worker has checked for overdue deliveries and sent nothing.
      await waitFor('the sweeps', () => worker.output().includes('"alert":"delivery-overdue"'));
      await worker.stop();
    }
    expect(sink.countOffers()).toBe(0);
    // Otherwise the worker's container would be considered unhealthy.
    expect(await readLongestWaitMs(database)).toBe(0);
    expect(await database('deliveries').where({ state: 'pending', attempts: 0 })).toHaveLength(5);
    expect(await readdir(settings['CRM_DIR'] ?? '').catch(() => [])).toEqual([]);

    expect((await ops('deliveries', 'list')).output).toMatch(/Nothing has been sent since .*: the state of .* was restored/);
    expect((await ops('doctor')).output).toMatch(/^warn {2}hold .*Nothing has been sent since/m);
    const shown = await ops('deliveries', 'release');
    expect(shown.output).toMatch(/4 would be sent now, 1 when they are due/);
    expect(shown.output).toMatch(/3 were due before the hold/);
    expect(shown.output).toContain('Nothing was changed. --yes releases it.');
    expect(await database('delivery_hold')).toHaveLength(1);

    await openWorker(settings);
    expect((await ops('deliveries', 'release', '--yes')).output).toContain('Released');
    await waitFor('all due deliveries', async () => {
      const sent = await database('deliveries').where({ state: 'sent' });

      return sent.length === 6;
    });
    const stages = sink.received.map(({ header }) => header('X-Delivery-Stage'));
    expect(stages.filter(Boolean)).toEqual(['reminder']);
    expect(sink.received).toHaveLength(3);
    expect((await ops('deliveries', 'release')).output).toBe('Nothing is held.\n');
  });

  test('marks deliveries that may have been sent before, if other programs restored the database', async () => {
    const { database, ops, backUp } = await setUpBackups(server);
    await backUp();
    await storeDelivery(database, await storeSubmission(database), { due_at: ago(Hour) });
    await ops('deliveries', 'hold');
    expect((await ops('deliveries', 'hold', '--restored-to', '2026-11-22T14:05Z')).output).toContain('the state of 2026-11-22 14:05 UTC was restored');
    expect(await ops('deliveries', 'release', '--yes')).toMatchObject({ exitCode: 0 });
    expect(await database('deliveries').first()).toMatchObject({ attempts: 1, maybe_duplicate: true });
  });

  describe('after a restore', () => {
    /** Restores a backup made between the erasures of Carol and Ada, without the erasure log. */
    async function restoreWithoutLog() {
      const fixture = await setUpBackups(server);
      const id = await storeOwed(fixture);
      await fixture.ops('submissions', 'erase', '--email', 'carol@example.org', '--yes');
      const file = await fixture.backUp();
      const list = join(fixture.settings['ERASURES_DIR'] ?? '', 'erasures.ndjson');
      const older = await readFile(list, 'utf8');
      await fixture.ops('submissions', 'erase', '--email', 'ada@example.org', '--yes');
      const newest = await readFile(list, 'utf8');
      const folder = makeTemporaryFolder();
      const elsewhere = { ...fixture, settings: { ...fixture.settings, ERASURES_DIR: folder } };

      return {
        ...(await restoreToNewDatabase(server, elsewhere, file)),
        ...{ id, older, newest, list: join(folder, 'erasures.ndjson') },
      };
    }

    async function expectHeld({ ops, database }: OpsFixture, message: RegExp) {
      expect(await ops('deliveries', 'release', '--yes')).toMatchObject({
        ...{ exitCode: 1, errorOutput: expect.stringMatching(message) },
      });
      expect(await database('delivery_hold')).toHaveLength(1);
    }

    test('remains while the erasure log is missing, older, damaged, from another installation or made with unknown keys', async () => {
      const fixture = await restoreWithoutLog();
      const { database, ops, settings, id, older, newest, list } = fixture;

      await expectHeld(fixture, /Nothing is released: .* is missing, or older .*: it lacks 2 lines/);
      const shown = (await ops('deliveries', 'release')).output;
      expect(shown).toMatch(/The hold can't be released: .*is missing/);
      expect(shown).toMatch(/Nothing was changed\.\n$/);
      expect((await ops('doctor')).output).toMatch(/^fail {2}erasures .*missing.*nothing is released/im);
      // An erasure during the hold isn't written to another site's log, and the correct log is complete without it.
      const dan = await storeSubmission(database, { email: 'dan@example.org' });
      expect((await ops('submissions', 'erase', dan, '--yes')).output).toContain('recorded in the database only');
      expect(await readdir(settings['ERASURES_DIR'] ?? '')).toEqual([]);
      await expectHeld(fixture, /Nothing is released: .* is missing/);

      // A site that was started here before the restore has its own, empty log.
      await writeFile(list, `{"erasure_list":"${randomUUID()}"}\n`);
      await expectHeld(fixture, /it lacks 2 lines/);
      await writeFile(list, older.replace(/^.*subject_hash.*$/m, ''));
      await expectHeld(fixture, /it lacks 1 line\./);
      // Damages the entry for an erasure made after the backup. The database doesn't have this entry.
      await writeFile(list, newest.replace(/"subject_hash"(?=[^\n]*\n*$)/, '"subject_hasg"'));
      await expectHeld(fixture, /Nothing is released: .*1 of its lines can't be read/);
      await writeFile(list, newest);
      const otherSecret = { ...settings, COOKIE_SECRET: 'n'.repeat(32) };
      const withoutSecret = await setUpBackups(server, otherSecret, settings['DATABASE_URL']);
      await expectHeld(withoutSecret, /secret of 3 of 3 erasures is missing/);
      expect(await database('contact_submissions').where({ id }).first()).toMatchObject({ name: 'Ada Example' });

      expect(await ops('deliveries', 'release', '--yes')).toMatchObject({ exitCode: 0 });
      expect(await database('contact_submissions').where({ id }).first()).toMatchObject({ name: 'erased' });
      expect(await database('deliveries').where({ submission_id: id, state: 'pending' })).toEqual([]);
      expect((await readFile(list, 'utf8')).match(/subject_hash/g)).toHaveLength(3);
    });

    test('keeps a worker from replacing the missing log or sending anything', async () => {
      const fixture = await restoreWithoutLog();
      const worker = await openWorker(fixture.settings);
      await expect.poll(worker.output, { timeout: 10_000 }).toMatch(/"erasureLog":"incomplete".*deliveries-held/);
      await waitFor('the sweeps', () => worker.output().includes('"alert":"delivery-overdue"'));
      await worker.stop();

      expect(await readdir(fixture.settings['ERASURES_DIR'] ?? '')).toEqual([]);
      expect(await readdir(fixture.settings['MAIL_DIR'] ?? '').catch(() => [])).toEqual([]);
      await expectHeld(fixture, /is missing/);
    });

    test('is ended by --without-erasures, which repeats the erasures in the backup and recreates the log', async () => {
      const fixture = await restoreWithoutLog();
      const { database, ops, list, older } = fixture;
      const carol = await storeSubmission(database, { email: 'carol@example.org', received_at: ago(Hour) });

      const { exitCode, output } = await ops('deliveries', 'release', '--yes', '--without-erasures');
      expect(exitCode).toBe(0);
      expect(output).toContain('Erased again, because of earlier erasure requests: 1 requests');
      expect(await database('contact_submissions').where({ id: carol }).first()).toMatchObject({ name: 'erased' });
      expect(await database('delivery_hold')).toEqual([]);
      // The log has the same lines as when the backup was made, in any order.
      const sort = (text: string) => text.split('\n').filter(Boolean).sort();
      expect(sort(await readFile(list, 'utf8'))).toEqual(sort(older));
    });
  });

  test('isn’t needed for entries that are only in the erasure log’s file, because a backup first stores them in the database', async () => {
    const fixture = await setUpBackups(server);
    await fixture.ops('submissions', 'erase', '--email', 'ada@example.org', '--yes');
    const [erasure] = await fixture.database('erasures').select('subject_hash');
    await fixture.database('erasures').delete();
    const { database } = await restoreToNewDatabase(server, fixture, await fixture.backUp());

    expect(await database('erasures').select('subject_hash')).toEqual([erasure]);
    expect(await database('erasure_list')).toHaveLength(1);
  });
});
