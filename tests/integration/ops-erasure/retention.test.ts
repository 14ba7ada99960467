import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { eraseSubject } from '../../../shared/node/erasure/erase-subject.ts';
import { releaseSubmission } from '../../../shared/node/held-requests/held-requests.ts';
import { runRetention } from '../../../shared/node/retention/retention.ts';
import { loadConfig } from '../../../shared/node/config/config.ts';
import type { Database } from '../../../shared/node/database/database.ts';
import { Day } from '../../../shared/time.ts';
import { ago } from '../../support/ago.ts';
import { openWorker } from '../../support/open-site.ts';
import { setUpOps, storeDelivery, storeSubmission } from '../../support/ops-fixture.ts';
import { waitFor } from '../../support/wait-for.ts';
import { erasedRow, readRow } from './erased-row.ts';

const MONTH = 31 * Day;

describe('retention', () => {
  /** Stores requests and subscriptions, some of which are too old. */
  async function fill(database: Database) {
    await database('newsletter_subscriptions').insert([
      { email: 'waited@example.org', created_at: ago(25 * MONTH) },
      { email: 'left@example.org', created_at: ago(40 * MONTH), confirmed_at: ago(39 * MONTH), unsubscribed_at: ago(25 * MONTH) },
      { email: 'reader@example.org', created_at: ago(40 * MONTH), confirmed_at: ago(39 * MONTH) },
      { email: 'fresh@example.org' },
      { email: 'asked-again@example.org', created_at: ago(25 * MONTH) },
      { email: 'back-again@example.org', created_at: ago(40 * MONTH), confirmed_at: ago(39 * MONTH), unsubscribed_at: ago(25 * MONTH) },
    ]);
    const again = await database('newsletter_subscriptions').whereLike('email', '%-again@example.org');
    await database('deliveries').insert(
      again.map(({ id }) => ({ subscription_id: id, kind: 'newsletter', due_at: new Date(), state: 'sent' })),
    );

    return {
      old: await storeSubmission(database, { received_at: ago(25 * MONTH) }),
      // Two years have at least 730 days.
      young: await storeSubmission(database, { received_at: ago(725 * Day) }),
    };
  }

  async function expectExpired(database: Database, ids: { old: string; young: string }) {
    expect(await readRow(database, ids.old)).toMatchObject(erasedRow);
    expect(await readRow(database, ids.young)).toMatchObject({ email: 'ada@example.org' });
    expect((await database('newsletter_subscriptions').orderBy('email')).map(({ email }) => email)).toEqual([
      'asked-again@example.org',
      'back-again@example.org',
      'fresh@example.org',
      'reader@example.org',
    ]);
  }

  test('shows the number of old requests and subscriptions, and erases them with --yes', async () => {
    const { database, ops } = await setUpOps();
    const ids = await fill(database);

    const dry = await ops('retention');
    expect(dry.output).toContain('Older than 24 months: 1 requests to anonymize, 2 newsletter');
    expect(await readRow(database, ids.old)).toMatchObject({ email: 'ada@example.org' });
    expect(await ops('retention', '--yes')).toMatchObject({ exitCode: 0 });
    await expectExpired(database, ids);
  });

  test('erases old data even if the erasure log can’t be used, and reports the log’s path and the reason', async () => {
    const { database, ops } = await setUpOps({ ERASURES_DIR: '/etc/hostname/erasures' });
    const ids = await fill(database);

    const { exitCode, output, errorOutput } = await ops('retention', '--yes');

    expect(exitCode).toBe(1);
    expect(output).toContain('Anonymized 1 requests, erased 0 held ones, deleted 2 subscriptions.');
    expect(errorOutput).toBe("The erasure log /etc/hostname/erasures/erasures.ndjson can't be used (ENOTDIR).\n");
    await expectExpired(database, ids);
  });

  const listLeft = (database: Database) => database('contact_submissions').whereNull('anonymised_at');

  describe('with a clock that may be wrong', () => {
    test('erases at most half of the requests in one run unless an operator confirms it', async () => {
      const { database, ops, settings } = await setUpOps();
      const ids = await Promise.all(
        Array.from({ length: 6 }, () => storeSubmission(database, { received_at: ago(25 * MONTH) })),
      );
      await storeSubmission(database);
      // Requests in quarantine don't count. Otherwise the share would be less than half.
      const held = await Promise.all(
        Array.from({ length: 9 }, () => storeSubmission(database, { quarantined_at: new Date(), quarantine_reason: 'test' })),
      );

      for (const args of [[], ['--yes']]) {
        expect(await ops('retention', ...args)).toMatchObject({
          ...{ exitCode: 1, errorOutput: expect.stringMatching(/6 of 7 requests.*--yes --force/) },
        });
      }
      const worker = await openWorker(settings);
      await expect.poll(worker.output, { timeout: 10_000 }).toMatch(/6 of 7 requests.*privacy-upkeep-failed/);
      expect(await listLeft(database)).toHaveLength(7 + held.length);

      expect(await ops('retention', '--yes', '--force')).toMatchObject({ exitCode: 0 });
      expect((await listLeft(database)).map(({ id }) => id)).not.toEqual(expect.arrayContaining(ids));
      expect(await listLeft(database)).toHaveLength(1 + held.length);
    });

    test('erases nothing if PostgreSQL’s clock and the machine’s differ by more than a day', async () => {
      const { database, settings } = await setUpOps();
      const id = await storeSubmission(database);
      const [{ name } = { name: '' }] = await database
        .select<Array<{ name: string }>>(database.raw('current_database() as name'));
      // The product's now() calls this function.
      await database.raw(`
        create schema ahead;
        create function ahead.now() returns timestamptz language sql
          as $$ select pg_catalog.now() + interval '900 days' $$;
        alter database "${name}" set search_path = ahead, pg_catalog, public
      `);
      const fooled = await setUpOps({}, settings['DATABASE_URL']);
      const config = loadConfig(settings);

      await expect(runRetention(fooled.database, config)).rejects.toThrow(/PostgreSQL's clock says/);
      await expect(eraseSubject(fooled.database, config, { id })).rejects.toThrow(/PostgreSQL's clock says/);
      expect(await readRow(database, id)).toMatchObject({ email: 'ada@example.org' });
      expect(await runRetention(fooled.database, config, { isConfirmed: true })).toMatchObject({ expired: { submissions: 1 } });
    });
  });

  test('keeps a held request that sales releases concurrently, and its planned deliveries', async () => {
    const { database, settings } = await setUpOps();
    const listed = { quarantined_at: ago(31 * Day), quarantine_reason: 'test', held_mail_id: randomUUID() };
    const id = await storeSubmission(database, listed);
    const release = await database.transaction();
    await releaseSubmission(release, id, [{ kind: 'follow-up', stage: 'new', dueAfter: 0 }]);

    const retention = runRetention(database, loadConfig(settings));
    await waitFor('the erasure to wait', async () => {
      const { rows } = await database.raw<{ rows: unknown[] }>(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );

      return rows.length > 0;
    });
    await release.commit();

    expect(await retention).toMatchObject({ expired: { held: 0 } });
    expect(await readRow(database, id)).toMatchObject({ email: 'ada@example.org', quarantined_at: null });
    expect(await database('deliveries').where({ submission_id: id })).toMatchObject([{ state: 'pending' }]);
  });

  test('keeps a request that sales has snoozed until its reminder is sent', async () => {
    const { database, settings } = await setUpOps({ RETENTION_MONTHS: '1' });
    const old = { received_at: ago(2 * MONTH) };
    const [putOff, answered] = [await storeSubmission(database, old), await storeSubmission(database, old)];
    const asked = { stage: 'reminder', event_id: randomUUID() } as const;
    await database('submission_events').insert({ id: asked.event_id, submission_id: putOff, what: 'snooze' });
    await storeDelivery(database, putOff, { ...asked, due_at: ago(-5 * Day) });
    await storeDelivery(database, answered, { stage: 'reminder', state: 'sent' });
    await storeDelivery(database, answered, { stage: 'due' });
    await storeDelivery(database, answered, { kind: 'crm-export', stage: null });

    expect(await runRetention(database, loadConfig(settings))).toMatchObject({ expired: { submissions: 1 } });
    expect(await readRow(database, putOff)).toMatchObject({ email: 'ada@example.org' });
    expect(await readRow(database, answered)).toMatchObject(erasedRow);

    await database('deliveries').where({ submission_id: putOff }).update({ state: 'sent' });
    expect(await runRetention(database, loadConfig(settings))).toMatchObject({ expired: { submissions: 1 } });
  });
});
