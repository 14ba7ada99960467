import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../../shared/node/database/database.ts';
import { copyDatabase, createMigratedDatabase } from '../../support/database.ts';
import { openWorker } from '../../support/open-site.ts';
import { inDatabase, setUpOps, storeDelivery, storeSubmission } from '../../support/ops-fixture.ts';
import { startProcess, type Environment } from '../../support/site-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { erasedRow, readRow } from './erased-row.ts';

/** Erases a person, then sets the database back to its earlier state, like a restored backup. */
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

describe('a restored backup with data of an erased person', () => {
  test('loses that data when the worker starts, before anything is mailed', async () => {
    const { id, single, restored } = await eraseAndRestore();
    // The secret was changed meanwhile, and the old one is still accepted.
    const settings: Environment = { ...restored, COOKIE_SECRET: `${'n'.repeat(32)},${'s'.repeat(32)}` };
    const { database } = await setUpOps({}, settings.DATABASE_URL);
    // This was stored between the two erasures.
    const file = await readFile(join(settings['ERASURES_DIR'] ?? '', 'erasures.ndjson'), 'utf8');
    const { erased_at: erasedAt } = JSON.parse(file.trim().split('\n')[0] ?? '') as Record<string, string>;
    const since = await storeSubmission(database, { email: 'ada@example.org', received_at: erasedAt });
    expect(await database('erasures')).toHaveLength(0);

    const worker = await openWorker(settings);
    expect(await readRow(database, id)).toMatchObject(erasedRow);
    expect(await readRow(database, single)).toMatchObject(erasedRow);
    expect(await database('newsletter_subscriptions')).toHaveLength(0);
    expect(await database('deliveries').where({ submission_id: id }).first()).toMatchObject({ state: 'cancelled' });
    await expect.poll(worker.output, { timeout: 10_000 }).toContain('They are erased again');
    expect(worker.output()).not.toMatch(/ada@|bob@/i);
    // Later requests are kept, and the restored database has the erasures.
    expect(await readRow(database, since)).toMatchObject({ email: 'ada@example.org' });
    expect(await database('erasures')).toHaveLength(2);
  });

  test('loses that data by ops retention --yes', async () => {
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
});

describe('a worker that starts with data of an erased person', () => {
  /** Records an erasure without carrying it out, as after a crash. */
  async function recordErasure() {
    const fixture = await setUpOps();
    const { database, ops } = fixture;
    const id = await storeSubmission(database);
    const delivery = await storeDelivery(database, id);
    expect(await ops('submissions', 'erase', id, '--yes')).toMatchObject({ exitCode: 0 });
    const before = { name: 'Ada Example', email: 'ada@example.org', anonymised_at: null };
    await database('contact_submissions').where({ id }).update(before);
    await database('deliveries').where({ id: delivery }).update({ state: 'pending', last_error: null });

    return { ...fixture, id, delivery };
  }
  const readState = async (database: Database, id: string) =>
    (await database('deliveries').where({ id }).first('state'))?.state;

  test('erases it even if the erasure log can’t be read, raises an alert, and mails about others', async () => {
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

  test('claims no delivery until the database lets it erase that data', async () => {
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
