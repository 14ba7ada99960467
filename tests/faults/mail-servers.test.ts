import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { findFreePort } from '../../scripts/free-port.ts';
import { makeContactBody } from '../support/contact-request.ts';
import { countStates, startWeb, startWorker } from '../support/delivery-fixture.ts';
import { processEnvironment } from '../support/process-environment.ts';
import { startSmtpSink, type SinkOptions } from '../support/smtp-sink.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { oneMail, setUpFault, type FaultFixture } from './fault-fixture.ts';
import { listMailReceipts } from './reconcile.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const findFirst = ({ database }: FaultFixture) =>
  database('deliveries').where({ stage: 'new' }).first();

const untilFirst = (fixture: FaultFixture, state: string) =>
  waitFor(`the first mail to be ${state}`, async () => (await findFirst(fixture))?.state === state);

/** A sink of its own, such as one that was away when the test began. */
async function startOwnSink(options: SinkOptions) {
  const sink = await startSmtpSink(options);
  onTestFinished(() => sink.close());

  return sink;
}

/** The waits before further tries, in milliseconds, as the worker logged them. */
const listBackOffs = (output: string) =>
  Array.from(output.matchAll(/"delayMs":(\d+)/g), ([, ms]) => Number(ms));

faultRow(29, 'SMTP refuses connections: pending with back-off and alert, sent after its return', async (chance) => {
  const port = await findFreePort();
  const fixture = await setUpFault({ ...oneMail, SMTP_URL: `smtp://127.0.0.1:${port}` });
  const web = await startWeb(fixture.settings);
  const worker = await startWorker(fixture.settings);
  await fixture.submit(web.origin);

  await waitFor('the alert', () => worker.output().includes('"alert":"delivery-overdue"'));
  await chance.letTimePass(1_000);
  await waitFor('more tries', async () => ((await findFirst(fixture))?.attempts ?? 0) > 2);
  expect(await countStates(fixture.database)).not.toHaveProperty('dead');
  expect((await findFirst(fixture))?.last_error).toMatch(/^smtp-/);
  const [first = 0, second = 0] = listBackOffs(worker.output());
  expect(second).toBeGreaterThan(first);

  const recoveredAt = Date.now();
  const sink = await startOwnSink({ port });
  await untilFirst(fixture, 'sent');
  await fixture.expectMails({ receipts: listMailReceipts(sink.received), recoveredAt });
});

faultRow(29, 'SMTP’s name can’t be resolved: pending with alert, sent once the setting is fixed', async () => {
  const fixture = await setUpFault(oneMail);
  const web = await startWeb(fixture.settings);
  const worker = await startWorker({
    ...fixture.settings,
    SMTP_URL: 'smtp://mail.invalid:2525?ignoreTLS=true',
  });
  await fixture.submit(web.origin);

  await waitFor('the alert', () => worker.output().includes('"alert":"delivery-overdue"'));
  await waitFor('the reason', async () => (await findFirst(fixture))?.last_error?.startsWith('smtp-'));
  expect(await countStates(fixture.database)).not.toHaveProperty('dead');
  await worker.stop();

  const recoveredAt = Date.now();
  await startWorker(fixture.settings);
  await untilFirst(fixture, 'sent');
  await fixture.expectMails({ recoveredAt });
});

faultRow(30, 'SMTP responds with one byte a second: cut in time, other jobs go on', async () => {
  const fixture = await setUpFault({
    ...oneMail,
    CRM_PROVIDER: 'file',
    WORKER_TIMINGS: JSON.stringify({ lease: 6_000, attempt: 5_000 }),
  });
  const { sink, database, settings } = fixture;
  const web = await startWeb(settings);
  await startWorker(settings);
  sink.faults.push({ kind: 'drip' });
  const stuck = makeContactBody();
  const findStuck = () =>
    database('deliveries').where({ submission_id: stuck.id, stage: 'new' }).first();
  await fixture.submit(web.origin, stuck);
  await waitFor('the mail to be offered', () => sink.countOffers() === 1);

  await fixture.submit(web.origin);
  await waitFor('the other mail and both exports', async () => {
    return (await countStates(database))['sent'] === 3;
  });
  expect(await findStuck()).toMatchObject({ state: 'leased', attempts: 1 });

  await waitFor('the stuck mail', async () => (await countStates(database))['sent'] === 4);
  expect(await findStuck()).toMatchObject({ attempts: 2, lease_expiries: 0, maybe_duplicate: false });
  await fixture.expectMails();
});

faultRow(31, 'SMTP refuses for now (greylisting): sent later, one mail', async (chance) => {
  const fixture = await setUpFault(oneMail);
  const web = await startWeb(fixture.settings);
  await startWorker(fixture.settings);
  const passing = [421, 450, 451, 452] as const;
  fixture.sink.faults.push(
    { kind: 'refuse', code: chance.pick(passing) },
    { kind: 'refuse', code: chance.pick(passing) },
  );

  await fixture.submit(web.origin);
  await untilFirst(fixture, 'sent');

  expect(await findFirst(fixture)).toMatchObject({ attempts: 3 });
  await fixture.expectMails();
});

faultRow(32, 'SMTP refuses for good: dead at once with its code and an alert, sent after an operator’s re-queue', async (chance) => {
  const fixture = await setUpFault(oneMail);
  const web = await startWeb(fixture.settings);
  const worker = await startWorker(fixture.settings);
  const code = chance.pick([550, 552, 553, 554] as const);
  fixture.sink.faults.push({ kind: 'refuse', code });

  await fixture.submit(web.origin);
  await untilFirst(fixture, 'dead');
  expect(await findFirst(fixture)).toMatchObject({ attempts: 1, last_error: `smtp-${code}` });
  await waitFor('the alert', () => worker.output().includes('"alert":"delivery-dead"'));
  expect(worker.output()).not.toContain('ada@example.org');

  await promisify(execFile)(process.execPath, ['ops/main.ts', 'deliveries', 'retry', '--dead'], {
    env: { ...processEnvironment, ...fixture.settings },
  });
  await untilFirst(fixture, 'sent');
  await fixture.expectMails();
});

faultRow(33, 'SMTP cut after the final dot: tried once more, flagged maybe_duplicate', async (chance) => {
  const fixture = await setUpFault(oneMail);
  const web = await startWeb(fixture.settings);
  await startWorker(fixture.settings);
  const kind = chance.pick(['cut-after', 'cut-untaken'] as const);
  fixture.sink.faults.push({ kind });

  await fixture.submit(web.origin);
  await untilFirst(fixture, 'sent');

  expect(await findFirst(fixture)).toMatchObject({ attempts: 2, maybe_duplicate: true });
  expect(new Set(fixture.sink.received.map(({ mail }) => mail.messageId)).size).toBe(1);
  await fixture.expectMails({}, kind === 'cut-after' ? 1 : 0);
});

faultRow(33, 'SMTP cut after the final dot twice: dead with an alert instead of a third mail', async () => {
  const fixture = await setUpFault(oneMail);
  const web = await startWeb(fixture.settings);
  const worker = await startWorker(fixture.settings);
  fixture.sink.faults.push({ kind: 'cut-after' }, { kind: 'cut-after' });

  await fixture.submit(web.origin);
  await untilFirst(fixture, 'dead');

  expect(await findFirst(fixture)).toMatchObject({ attempts: 2, maybe_duplicate: true });
  await waitFor('the alert', () => worker.output().includes('"alert":"delivery-dead"'));
  expect(fixture.sink.countOffers()).toBe(2);
  await fixture.expectMails({}, 1);
});

faultRow(35, 'SMTP not configured: web and worker log it at their start, mails are files', async () => {
  const folder = makeTemporaryFolder();
  const fixture = await setUpFault({ ...oneMail, SMTP_URL: '', MAIL_DIR: folder });
  const web = await startWeb(fixture.settings);
  const worker = await startWorker(fixture.settings);
  expect(worker.output()).toContain('SMTP_URL is not set');

  await fixture.submit(web.origin);
  await untilFirst(fixture, 'sent');

  const files = await readdir(folder);
  expect(files).toEqual([`follow-up-new-${(await findFirst(fixture))?.id}.eml`]);
  expect(await readFile(join(folder, files[0] ?? ''), 'utf8')).toContain(fixture.accepted[0]);
});
