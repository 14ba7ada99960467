import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../../shared/node/database/database.ts';
import { openWorker } from '../../support/open-site.ts';
import { setUpOps, storeDelivery, storeSubmission } from '../../support/ops-fixture.ts';
import { startProcess } from '../../support/site-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { erasedRow, readRow } from './erased-row.ts';

/** Erases a request and brings its data back, as restoring an older backup would. */
async function eraseAndRestore() {
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

test('ops retention --yes erases an erased person’s restored data again', async () => {
  const { database, ops, id } = await eraseAndRestore();

  expect((await ops('retention')).output).toContain('Nothing was changed');
  expect(await readRow(database, id)).toMatchObject({ email: 'ada@example.org' });
  const { exitCode, output } = await ops('retention', '--yes');
  expect(exitCode).toBe(0);
  expect(output).toContain('because of earlier erasure requests: 1 requests, 0 subscriptions');
  expect(await readRow(database, id)).toMatchObject(erasedRow);
});

describe('a worker that starts with an erased person’s data', () => {
  const readState = async (database: Database, id: string) =>
    (await database('deliveries').where({ id }).first('state'))?.state;

  test('erases it even if the erasure log can’t be read, raises an alert, and sends mails about other people', async () => {
    const { database, ops, settings, id, delivery } = await eraseAndRestore();
    const other = await storeDelivery(database, await storeSubmission(database));
    const log = join(settings['ERASURES_DIR'] ?? '', 'erasures.ndjson');
    await rm(log);
    await mkdir(log);

    const worker = await openWorker(settings);
    await expect.poll(worker.output, { timeout: 10_000 }).toContain('privacy-upkeep-failed');
    expect(await readRow(database, id)).toMatchObject(erasedRow);
    await waitFor('the other mail', async () => (await readState(database, other)) === 'sent');
    expect(await readState(database, delivery)).toBe('cancelled');
    expect((await ops('doctor')).output).toMatch(/^fail {2}erasures folder .*\(EISDIR\)/m);
  });

  test('claims no delivery until the database lets it erase that data', async () => {
    const { database, settings, delivery } = await eraseAndRestore();
    await database.schema.renameTable('erasures', 'erasures_aside');
    const worker = startProcess('tests/support/worker-entry.ts', settings);
    onTestFinished(() => worker.stop().then(() => undefined));

    const attempts = new Set<number>();
    await waitFor('a second attempt', async () => {
      const [last] = await database('pg_stat_activity')
        .whereRaw(`datname = current_database() and query like '%from "erasures"%' and pid <> pg_backend_pid()`)
        .select<Array<{ query_start: Date }>>('query_start');
      if (last) attempts.add(last.query_start.getTime());

      return attempts.size > 1;
    });
    await expect.poll(worker.output, { timeout: 10_000 }).toContain('privacy-upkeep-failed');
    await database.schema.renameTable('erasures_aside', 'erasures');
    await waitFor('the start of the worker', () => worker.output().includes('The worker is ready.'));
    await waitFor('the end of the delivery', async () => (await readState(database, delivery)) !== 'pending');
    expect(await readState(database, delivery)).toBe('cancelled');
    expect(worker.output()).toContain('It was erased again');
    expect(worker.output()).not.toContain('ada@');
  });
});
