import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eraseSubject } from '../../shared/node/erasure/erase-subject.ts';
import { runRetention } from '../../shared/node/retention/retention.ts';
import { loadConfig } from '../../shared/node/config/config.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { Day, Hour } from '../../shared/time.ts';
import { copyDatabase, createMigratedDatabase } from '../support/database.ts';
import { openWorker } from '../support/open-site.ts';
import { inDatabase, setUpOps, storeDelivery, storeSubmission } from '../support/ops-fixture.ts';
import { startProcess, type Environment } from '../support/site-process.ts';
import { waitFor } from '../support/wait-for.ts';

const ago = (ms: number) => new Date(Date.now() - ms);
const MONTH = 31 * Day;

const erasedRow = {
  ...{ name: 'erased', email: 'erased@invalid.example', company: 'erased' },
  ...{ phone: null, industry: null, message: null, source: null, visited_paths: null, body_hash: null },
};

const readRow = (database: Database, id: string) => database('contact_submissions').where({ id }).first();

describe('submissions erase', () => {
  test('without --yes shows what is stored and changes nothing', async () => {
    const { database, ops } = await setUpOps();
    const id = await storeSubmission(database);
    await storeDelivery(database, id);
    const before = await readRow(database, id);

    const { exitCode, output } = await ops('submissions', 'erase', '--email', 'ada@example.org');
    expect(exitCode).toBe(0);
    expect(output).toContain(`request ${id}`);
    expect(output).toContain('1 deliveries to cancel');
    expect(output).toContain('Nothing was changed');
    expect(await readRow(database, id)).toEqual(before);
    expect(await database('erasures')).toHaveLength(0);
  });

  test('of an address erases it in any spelling with its subscription, and nobody else', async () => {
    const { database, ops, settings } = await setUpOps();
    const id = await storeSubmission(database, { email: 'Ada@Example.ORG', quarantine_reason: 'links' });
    const other = await storeSubmission(database, { email: 'bob@example.org' });
    await storeDelivery(database, id, { state: 'pending' });
    await storeDelivery(database, id, { stage: 'reminder', state: 'dead', attempts: 2 });
    await storeDelivery(database, id, {
      ...{ kind: 'crm-export', stage: null, state: 'sent', attempts: 1, remote_ref: 'crm-17' },
    });
    await storeDelivery(database, id, { kind: 'chat', stage: null, state: 'sent', attempts: 1 });
    await database('newsletter_subscriptions').insert([{ email: 'ada@example.org' }, { email: 'bob@example.org' }]);

    const { exitCode, output, errorOutput } = await ops('submissions', 'erase', '--email', 'ADA@example.org', '--yes');
    expect(exitCode).toBe(0);
    expect(output).toContain('Erased: 1 requests, 1 newsletter subscriptions.');
    expect(output).toContain(`lines with ${id}`);
    expect(output).toContain(`X-Submission-Id: ${id}`);
    expect(output).toContain(`the chat: the announcement that links to /follow-up/${id}`);
    expect(errorOutput).toContain('Erased on request.');
    expect(output + errorOutput).not.toMatch(/ada@/i);

    const row = await readRow(database, id);
    expect(row).toMatchObject({ ...erasedRow, quarantine_reason: null });
    expect(row?.anonymised_at).toBeInstanceOf(Date);
    expect(await readRow(database, other)).toMatchObject({ email: 'bob@example.org', anonymised_at: null });
    expect((await database('newsletter_subscriptions')).map(({ email }) => email)).toEqual(['bob@example.org']);
    const deliveries = await database('deliveries').where({ submission_id: id });
    expect(deliveries.map(({ state }) => state).sort()).toEqual(['cancelled', 'cancelled', 'sent', 'sent']);

    const file = join(settings['ERASURES_DIR'] ?? '', 'erasures.ndjson');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const kept = (await readFile(file, 'utf8')) + JSON.stringify(await database('erasures'));
    expect(kept).not.toMatch(/ada|example/i);
  });

  test('names every service that may hold the data: digests, and what an unconfirmed export created', async () => {
    const { database, ops, settings } = await setUpOps({
      ...{ CRM_PROVIDER: 'hubspot', HUBSPOT_TOKEN: 'pat-na1-0123456789', NODE_ENV: 'development' },
    });
    const open = await storeSubmission(database, { received_at: ago(5 * Day) });
    const answered = await storeSubmission(database, {
      ...{ email: 'bob@example.org', received_at: ago(5 * Day), contacted_at: ago(5 * Day) },
    });
    const held = await storeSubmission(database, { received_at: ago(5 * Day), quarantined_at: ago(5 * Day) });
    // Its attempt doesn't count, since the kind was paused; it had reached the second step.
    await storeDelivery(database, open, {
      ...{ kind: 'crm-export', stage: null, attempts: 0, last_error: 'http-403' },
      remote_steps: { contact: '4711' },
    });
    const mailedOn = ago(2 * Day).toISOString().slice(0, 10);
    await database('digests').insert({ day: mailedOn, attempts: 1, lease_until: new Date(), sent_at: new Date() });

    expect((await ops('submissions', 'show', open)).output).toContain('contact 4711');
    expect((await ops('submissions', 'export', '--id', open)).output).toContain('4711');
    const { output } = await ops('submissions', 'erase', open, '--yes');
    expect(output).toContain(`files in ${settings['MAIL_DIR']}: digest-${mailedOn}.eml`);
    expect(output).toContain(`CRM (hubspot): an export of ${open} that was not confirmed: contact 4711`);
    expect(output).not.toContain('X-Submission-Id');
    for (const id of [answered, held]) {
      expect((await ops('submissions', 'erase', id, '--yes')).output).not.toContain('digest');
    }
  });

  test('of one request leaves the others of the same person, and a second time is harmless', async () => {
    const { database, ops } = await setUpOps();
    const id = await storeSubmission(database);
    const other = await storeSubmission(database);

    for (const count of [1, 0]) {
      const { exitCode, output } = await ops('submissions', 'erase', id, '--yes');
      expect(exitCode).toBe(0);
      expect(output).toContain(`Erased: ${count} requests`);
    }
    expect(await readRow(database, id)).toMatchObject(erasedRow);
    expect(await readRow(database, other)).toMatchObject({ email: 'ada@example.org' });
    expect(await database('erasures')).toHaveLength(1);
  });

  test('changes nothing when the erasure log can’t be written', async () => {
    const { database, ops } = await setUpOps({ ERASURES_DIR: '/etc/hostname/erasures' });
    const id = await storeSubmission(database);

    expect(await ops('submissions', 'erase', id, '--yes')).toMatchObject({ exitCode: 1 });
    expect(await readRow(database, id)).toMatchObject({ anonymised_at: null });
  });

  test('waits for deliveries that a worker is processing, and shows their results', async () => {
    const { database, ops, settings } = await setUpOps({
      ...{ CRM_PROVIDER: 'hubspot', HUBSPOT_TOKEN: 'pat-na1-0123456789', NODE_ENV: 'development' },
    });
    const id = await storeSubmission(database);
    const lease = { state: 'leased', attempts: 1, lease_token: randomUUID(), lease_until: new Date(Date.now() + Hour) } as const;
    const exporting = await storeDelivery(database, id, { ...lease, kind: 'crm-export', stage: null });
    const mailing = await storeDelivery(database, id, lease);

    const erasing = startProcess(['ops/main.ts', 'submissions', 'erase', '--email', 'ada@example.org', '--yes'], settings);
    await waitFor('the wait', () => erasing.output().includes('Waiting for 2 deliveries'));
    expect(await readRow(database, id)).toMatchObject(erasedRow);
    // As the worker ends them: one is sent, the other failed and would be retried.
    const ended = { lease_token: null, lease_until: null };
    await database('deliveries').where({ id: exporting }).update({ ...ended, state: 'sent', remote_ref: 'crm-99' });
    await database('deliveries').where({ id: mailing }).update({ ...ended, state: 'pending', last_error: 'timed-out' });
    await waitFor('the end', erasing.hasExited);

    expect(erasing.output()).toContain('CRM (hubspot): crm-99');
    expect(erasing.output()).toContain(`X-Submission-Id: ${id}`);
    expect(erasing.output()).not.toContain('still processing');
    expect(await database('deliveries').where({ id: mailing }).first()).toMatchObject({ state: 'cancelled' });
    // Again, by the id: the same services.
    const { output } = await ops('submissions', 'erase', id, '--yes');
    expect(output).toContain('Erased: 0 requests');
    expect(output).toContain('CRM (hubspot): crm-99');
  });

  test('names the delivery that is still processed when the operator ends the wait', async () => {
    const { database, settings } = await setUpOps();
    const id = await storeSubmission(database);
    await storeDelivery(database, id, {
      ...{ state: 'leased', attempts: 1, lease_token: randomUUID(), lease_until: new Date(Date.now() + Hour) },
    });
    const erasing = startProcess(['ops/main.ts', 'submissions', 'erase', id, '--yes'], settings);
    await waitFor('the wait', () => erasing.output().includes('Ctrl-C ends the wait'));

    expect(await erasing.stop('SIGINT')).toBe(0);
    expect(erasing.output()).toContain(`a follow-up that a worker is still processing: \`ops submissions erase ${id} --yes\``);
    expect(await readRow(database, id)).toMatchObject(erasedRow);
  });

  test('of an address erases it in every script and case, its subscriptions and exports too', async () => {
    const { database, ops } = await setUpOps();
    const forms = ['ada@bücher.example', 'Ada@BÜCHER.example', 'ada@xn--bcher-kva.example'];
    const ids = await Promise.all(forms.map((email) => storeSubmission(database, { email })));
    await storeSubmission(database, { email: 'ada@bucher.example' });
    await database('newsletter_subscriptions').insert([{ email: forms[0] ?? '' }, { email: forms[2] ?? '' }]);

    const { output } = await ops('submissions', 'export', '--email', 'ADA@xn--BCHER-kva.example');
    const exported = JSON.parse(output) as Record<string, Array<{ id: string }>>;
    expect(exported['submissions']?.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(exported['newsletter_subscriptions']).toHaveLength(2);
    const erased = await ops('submissions', 'erase', '--email', 'ada@bücher.example', '--yes');
    expect(erased.output).toContain('Erased: 3 requests, 2 newsletter subscriptions.');
    expect(await database('contact_submissions').whereNull('anonymised_at').pluck('email')).toEqual(['ada@bucher.example']);
  });

  test('requires an id or --email, and reports an unknown request', async () => {
    const { ops } = await setUpOps();
    expect(await ops('submissions', 'erase')).toMatchObject({ exitCode: 2 });
    expect(await ops('submissions', 'erase', randomUUID(), '--email', 'a@b.c')).toMatchObject({ exitCode: 2 });
    expect(await ops('submissions', 'erase', randomUUID(), '--yes')).toMatchObject({ exitCode: 1 });
  });
});

/** Somebody erased, and the database as it was before that, as a restored backup has it. */
async function eraseAndRestore() {
  const source = await createMigratedDatabase();
  const { id, single } = await inDatabase(source, async (database) => {
    const ids = {
      id: await storeSubmission(database, { email: 'Ada@Example.org' }),
      single: await storeSubmission(database, { email: 'bob@example.org' }),
    };
    await storeDelivery(database, ids.id);
    await database('newsletter_subscriptions').insert({ email: 'ada@example.org' });

    return ids;
  });
  const backup = await copyDatabase(source);
  const fixture = await setUpOps({}, source);
  for (const who of [['--email', 'ada@example.org'], [single]]) {
    expect(await fixture.ops('submissions', 'erase', ...who, '--yes')).toMatchObject({ exitCode: 0 });
  }

  return { id, single, restored: { ...fixture.settings, DATABASE_URL: backup } };
}

describe('a restored backup that has somebody who was erased', () => {
  test('is cleared of them when the worker starts, before anything is mailed', async () => {
    const { id, single, restored } = await eraseAndRestore();
    // The secret was changed meanwhile; the old one is still accepted.
    const settings: Environment = { ...restored, COOKIE_SECRET: `${'n'.repeat(32)},${'s'.repeat(32)}` };
    const { database } = await setUpOps({}, settings.DATABASE_URL);
    // Written after the one erasure and before the other.
    const file = await readFile(join(settings['ERASURES_DIR'] ?? '', 'erasures.ndjson'), 'utf8');
    const { erased_at: erasedAt } = JSON.parse(file.trim().split('\n')[0] ?? '') as Record<string, string>;
    const since = await storeSubmission(database, { email: 'ada@example.org', received_at: erasedAt });
    expect(await database('erasures')).toHaveLength(0);

    const worker = await openWorker(settings);
    expect(await readRow(database, id)).toMatchObject(erasedRow);
    expect(await readRow(database, single)).toMatchObject(erasedRow);
    expect(await database('newsletter_subscriptions')).toHaveLength(0);
    expect(await database('deliveries').where({ submission_id: id }).first()).toMatchObject({ state: 'cancelled' });
    await expect.poll(worker.output, { timeout: 10_000 }).toContain('they are erased again');
    expect(worker.output()).not.toMatch(/ada@|bob@/i);
    // Later requests are not erased, and the restored database has the erasures.
    expect(await readRow(database, since)).toMatchObject({ email: 'ada@example.org' });
    expect(await database('erasures')).toHaveLength(2);
  });

  test('is cleared of them by ops retention --yes', async () => {
    const { id, restored } = await eraseAndRestore();
    const { database } = await setUpOps({}, restored.DATABASE_URL);
    const { ops } = await setUpOps(restored, restored.DATABASE_URL);

    expect((await ops('retention')).output).toContain('Nothing was changed');
    expect(await readRow(database, id)).toMatchObject({ email: 'Ada@Example.org' });
    const { exitCode, output } = await ops('retention', '--yes');
    expect(exitCode).toBe(0);
    expect(output).toContain('after erasures on request: 2 requests, 1 subscriptions');
    expect(await readRow(database, id)).toMatchObject(erasedRow);
  });

  test('keeps them without the old secret, and the doctor reports it', async () => {
    const { id, restored } = await eraseAndRestore();
    const settings = { ...restored, COOKIE_SECRET: 'n'.repeat(32) };
    const { database, ops } = await setUpOps(settings, restored.DATABASE_URL);

    expect(await ops('retention', '--yes')).toMatchObject({ exitCode: 0 });
    expect(await readRow(database, id)).toMatchObject({ email: 'Ada@Example.org' });
    const { output } = await ops('doctor');
    expect(output).toMatch(/^warn {2}erasures .*secret of 2 of 2 erasures is missing/m);
  });

  test('has its erasure log recreated after that was lost or truncated', async () => {
    const { ops, database, settings } = await setUpOps();
    const id = await storeSubmission(database);
    await ops('submissions', 'erase', id, '--yes');
    const folder = settings['ERASURES_DIR'] ?? '';
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'erasures.ndjson'), '{"subject_hash":"ab');

    expect(await ops('retention', '--yes')).toMatchObject({ exitCode: 0 });
    const [row] = await database('erasures');
    expect(await readFile(join(folder, 'erasures.ndjson'), 'utf8')).toContain(row?.subject_hash ?? 'none');
  });
});

describe('a worker that starts with somebody in the database who was erased', () => {
  /** As after a crash during an erasure: it is recorded, and nothing else is done. */
  async function recordErasure() {
    const fixture = await setUpOps();
    const { database, ops } = fixture;
    const id = await storeSubmission(database);
    const delivery = await storeDelivery(database, id);
    const before = await readRow(database, id);
    expect(await ops('submissions', 'erase', id, '--yes')).toMatchObject({ exitCode: 0 });
    await database('contact_submissions').where({ id }).update({ ...before });
    await database('deliveries').where({ id: delivery }).update({ state: 'pending', last_error: null });

    return { ...fixture, id, delivery };
  }
  const readState = async (database: Database, id: string) =>
    (await database('deliveries').where({ id }).first('state'))?.state;

  test('erases them when the erasure log can’t be read, raises an alert, and mails about others', async () => {
    const { database, ops, settings, id, delivery } = await recordErasure();
    const other = await storeDelivery(database, await storeSubmission(database));
    const list = join(settings['ERASURES_DIR'] ?? '', 'erasures.ndjson');
    await rm(list);
    await mkdir(list);

    const worker = await openWorker(settings);
    await expect.poll(worker.output, { timeout: 10_000 }).toContain('privacy-upkeep-failed');
    expect(await readRow(database, id)).toMatchObject(erasedRow);
    await waitFor('the other mail', async () => (await readState(database, other)) === 'sent');
    expect(await readState(database, delivery)).toBe('cancelled');
    expect((await ops('doctor')).output).toMatch(/^fail {2}erasures folder .*\(EISDIR\)/m);
  });

  test('claims no delivery until the database allowed it to erase them', async () => {
    const { database, settings, delivery } = await recordErasure();
    await database.schema.renameTable('erasures', 'put_aside');
    const worker = startProcess('tests/support/worker-entry.ts', settings);
    onTestFinished(() => worker.stop().then(() => undefined));

    const tries = new Set<number>();
    await waitFor('a second try', async () => {
      const [last] = await database('pg_stat_activity')
        .whereRaw(`datname = current_database() and query like '%from "erasures"%' and pid <> pg_backend_pid()`)
        .select<Array<{ query_start: Date }>>('query_start');
      if (last) tries.add(last.query_start.getTime());

      return tries.size > 1;
    });
    await expect.poll(worker.output, { timeout: 10_000 }).toContain('privacy-upkeep-failed');
    await database.schema.renameTable('put_aside', 'erasures');
    await waitFor('the worker', () => worker.output().includes('The worker is ready.'));
    await waitFor('the end', async () => (await readState(database, delivery)) !== 'pending');
    expect(await readState(database, delivery)).toBe('cancelled');
  });
});

describe('retention', () => {
  /** One of each kind that is too old, and one that isn't. */
  async function fill(database: Database) {
    await database('newsletter_subscriptions').insert([
      { email: 'waited@example.org', created_at: ago(25 * MONTH) },
      { email: 'left@example.org', created_at: ago(40 * MONTH), confirmed_at: ago(39 * MONTH), unsubscribed_at: ago(25 * MONTH) },
      { email: 'reader@example.org', created_at: ago(40 * MONTH), confirmed_at: ago(39 * MONTH) },
      { email: 'fresh@example.org' },
      { email: 'asked-again@example.org', created_at: ago(25 * MONTH) },
    ]);
    const again = await database('newsletter_subscriptions').where({ email: 'asked-again@example.org' }).first();
    await database('deliveries').insert({
      ...{ subscription_id: again?.id ?? '', kind: 'newsletter', due_at: new Date(), state: 'sent' },
    });
    await database('spent_proofs').insert([
      { challenge: 'old', expires_at: ago(2 * Hour) },
      { challenge: 'new', expires_at: ago(Hour / 2) },
    ]);

    return {
      old: await storeSubmission(database, { received_at: ago(25 * MONTH) }),
      young: await storeSubmission(database, { received_at: ago(22 * MONTH) }),
    };
  }

  async function expectExpired(database: Database, ids: { old: string; young: string }) {
    expect(await readRow(database, ids.old)).toMatchObject(erasedRow);
    expect(await readRow(database, ids.young)).toMatchObject({ email: 'ada@example.org' });
    expect((await database('newsletter_subscriptions').orderBy('email')).map(({ email }) => email)).toEqual([
      'asked-again@example.org',
      'fresh@example.org',
      'reader@example.org',
    ]);
    expect((await database('spent_proofs')).map(({ challenge }) => challenge)).toEqual(['new']);
  }

  test('shows how much is too old, and anonymizes or deletes it with --yes', async () => {
    const { database, ops } = await setUpOps();
    const ids = await fill(database);

    const dry = await ops('retention');
    expect(dry.output).toContain('Older than 24 months: 1 requests to anonymize, 2 newsletter');
    expect(await readRow(database, ids.old)).toMatchObject({ email: 'ada@example.org' });
    expect(await ops('retention', '--yes')).toMatchObject({ exitCode: 0 });
    await expectExpired(database, ids);
  });

  test('runs in the worker without a command', async () => {
    const { database, settings } = await setUpOps();
    const ids = await fill(database);

    await openWorker(settings);
    await waitFor('the old to be anonymized', async () => (await readRow(database, ids.old))?.anonymised_at);
    await waitFor('the end', async () => (await database('spent_proofs')).length === 1);
    await expectExpired(database, ids);
  });

  const fillBatches = (database: Database) =>
    database.raw(`
      insert into contact_submissions (id, name, email, company, submitted_at, received_at)
      select gen_random_uuid(), 'N', 'n' || n || '@example.org', 'C', now(), now() - interval '2 months'
      from generate_series(1, 1200) n
    `);
  const listLeft = (database: Database) => database('contact_submissions').whereNull('anonymised_at');

  describe('that looks like a wrong clock', () => {
    const daysAway = 900;

    test('is refused when more than half would be erased at once, until an operator confirms it', async () => {
      const { database, ops, settings } = await setUpOps();
      const ids = await Promise.all(
        Array.from({ length: 6 }, () => storeSubmission(database, { received_at: ago(25 * MONTH) })),
      );
      await storeSubmission(database);
      // Counted in, they would make any share small.
      const held = await Promise.all(
        Array.from({ length: 9 }, () => storeSubmission(database, { quarantined_at: new Date(), quarantine_reason: 'test' })),
      );
      const proof = { challenge: 'old', expires_at: ago(2 * Hour) };
      await database('spent_proofs').insert(proof);

      for (const args of [[], ['--yes']]) {
        expect(await ops('retention', ...args)).toMatchObject({
          ...{ exitCode: 1, errorOutput: expect.stringMatching(/6 of 7 requests.*--yes --force/) },
        });
      }
      const worker = await openWorker(settings);
      await expect.poll(worker.output, { timeout: 10_000 }).toMatch(/6 of 7 requests.*privacy-upkeep-failed/);
      expect(await listLeft(database)).toHaveLength(7 + held.length);
      expect(await database('spent_proofs')).toHaveLength(1);

      expect(await ops('retention', '--yes', '--force')).toMatchObject({ exitCode: 0 });
      expect((await listLeft(database)).map(({ id }) => id)).not.toEqual(expect.arrayContaining(ids));
      expect(await listLeft(database)).toHaveLength(1 + held.length);
    });

    test('is refused when PostgreSQL’s clock and the machine’s differ by a day', async () => {
      const { database, settings } = await setUpOps();
      const id = await storeSubmission(database);
      const [{ name } = { name: '' }] = await database
        .select<Array<{ name: string }>>(database.raw('current_database() as name'));
      // The product's now() calls this one.
      await database.raw(`
        create schema ahead;
        create function ahead.now() returns timestamptz language sql
          as $$ select pg_catalog.now() + interval '${daysAway} days' $$;
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

  test('processes more than one batch', async () => {
    const { database, ops } = await setUpOps({ RETENTION_MONTHS: '1' });
    await fillBatches(database);

    expect((await ops('retention', '--yes', '--force')).output).toContain('Anonymized 1200 requests');
    expect(await listLeft(database)).toHaveLength(0);
  });

  test('stops between two batches when the worker does, and resumes there', async () => {
    const { database, settings } = await setUpOps({ RETENTION_MONTHS: '1' });
    await fillBatches(database);
    const stop = new AbortController();

    const stopped = runRetention(database, loadConfig(settings), {
      onProgress: () => stop.abort(),
      signal: stop.signal,
      isConfirmed: true,
    });
    await expect(stopped).rejects.toThrow('aborted');
    expect(await listLeft(database)).toHaveLength(700);
    const rest = await runRetention(database, loadConfig(settings), { isConfirmed: true });
    expect(rest).toMatchObject({ expired: { submissions: 700 } });
  });
});
