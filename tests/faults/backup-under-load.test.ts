import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Database } from '../../shared/node/database/database.ts';
import { openDatabase } from '../support/database.ts';
import { startWeb, startWorker } from '../support/delivery-fixture.ts';
import { spawnOps } from '../support/run-ops.ts';
import type { Environment } from '../support/site-process.ts';
import { startSystemPostgres } from '../support/system-postgres.ts';
import { waitFor } from '../support/wait-for.ts';
import { oneMail, setUpFault, type FaultFixture } from './fault-fixture.ts';
import { faultRow } from './fault-row.ts';
import { listMailReceipts } from './reconcile.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const REQUESTS = 200;
const VISITORS = 8;

async function postAll(fixture: FaultFixture, origin: string): Promise<void> {
  let left = REQUESTS;
  const runVisitor = async () => {
    while (left > 0) {
      left -= 1;
      await fixture.submit(origin);
    }
  };
  await Promise.all(Array.from({ length: VISITORS }, runVisitor));
}

async function runOps(settings: Environment, ...args: string[]): Promise<string> {
  const { exitCode, output, errorOutput } = await spawnOps(settings, ...args);
  expect(exitCode, errorOutput).toBe(0);

  return output;
}

const listDue = (database: Database) =>
  database('deliveries')
    .where({ kind: 'follow-up' })
    .where('due_at', '<', database.fn.now())
    .select('id', 'state');

faultRow(59, 'A backup made under load, restored on another server: no row is missing, and nothing sent before the backup is sent again', async (chance) => {
  const server = await startSystemPostgres();
  onTestFinished(() => server.remove());
  const folder = makeTemporaryFolder();
  const fixture = await setUpFault({
    ...oneMail,
    DATABASE_URL: await server.createMigratedDatabase(),
    PATH: server.path,
    COOKIE_SECRET: 's'.repeat(32),
    BACKUP_DIR: join(folder, 'backups'),
    ERASURES_DIR: join(folder, 'erasures'),
    // With so many mails, a busy machine is slow. A longer lease keeps slow mails from being sent twice.
    WORKER_TIMINGS: JSON.stringify({ lease: 30_000, attempt: 20_000 }),
  });
  const { sink, accepted } = fixture;
  const web = await startWeb(fixture.settings);
  const worker = await startWorker(fixture.settings);
  const posted = postAll(fixture, web.origin);
  const begin = chance.between(10, 60);
  await waitFor('some requests', () => accepted.length >= begin && sink.received.length > 0);
  const backup = JSON.parse(await runOps(fixture.settings, 'backup', '--json')) as {
    readonly file: string;
    readonly rows: Readonly<Record<string, number>>;
  };
  await posted;
  await Promise.all([web.stop(), worker.stop()]);

  // Restores into a new database. Redis still contains jobs for requests that arrived after the backup.
  const settings = { ...fixture.settings, DATABASE_URL: await server.createEmptyDatabase() };
  await runOps(settings, 'restore', backup.file);
  const database = openDatabase(settings.DATABASE_URL, onTestFinished);
  for (const [name, count] of Object.entries(backup.rows)) {
    if (name !== 'delivery_hold') expect([name, (await database(name)).length]).toEqual([name, count]);
  }
  expect(backup.rows['deliveries']).toBe(4 * (backup.rows['contact_submissions'] ?? 0));
  const before = await listDue(database);
  const sentBefore = before.filter(({ state }) => state === 'sent').map(({ id }) => id);
  const unsent = before.filter(({ state }) => state !== 'sent').map(({ id }) => id);
  const receivedBefore = sink.received.length;

  const held = await startWorker(settings);
  if (unsent.length > 0) {
    await waitFor('the sweep’s alert', () => held.output().includes('"alert":"delivery-overdue"'));
  }
  expect(sink.received).toHaveLength(receivedBefore);
  await runOps(settings, 'deliveries', 'release', '--yes');
  await waitFor(
    'all due mails',
    async () => (await listDue(database)).every(({ state }) => state === 'sent'),
    120_000,
  );

  const sentAfter = listMailReceipts(sink.received.slice(receivedBefore)).map(({ deliveryId }) => deliveryId);
  const all = new Set(listMailReceipts(sink.received).map(({ deliveryId }) => deliveryId));
  process.stdout.write(
    `  accepted ${accepted.length}, in the backup ${backup.rows['contact_submissions']}: ` +
      `${sentBefore.length} sent before it, ${unsent.length} unsent, ${sentAfter.length} sent after the release\n`,
  );
  expect([...sentAfter].sort()).toEqual([...unsent].sort());
  expect([...sentBefore, ...unsent].filter((id) => !all.has(id))).toEqual([]);
  expect(held.output()).not.toContain('"alert":"delivery-dead"');
});
