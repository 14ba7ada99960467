import { expect, onTestFinished } from 'vitest';
import { makeStrangersBody } from '../support/contact-request.ts';
import { countStates, startWeb, startWorker } from '../support/delivery-fixture.ts';
import { runMigrator } from '../support/migrator.ts';
import { checkOutPreviousVersion } from '../support/previous-version.ts';
import { startProcess, startWorkerProcess, type ProcessPlace } from '../support/site-process.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { oneMail, setUpFault, type FaultFixture } from './fault-fixture.ts';
import { makeNextVersion } from './next-version.ts';
import { readReady } from './web-health.ts';

const untilMailed = ({ database, accepted }: FaultFixture) =>
  waitFor('all mails', async () => {
    return (await countStates(database))['sent'] === new Set(accepted).size;
  });

const migrate = (url: string, place?: ProcessPlace) => runMigrator({ DATABASE_URL: url }, place);

faultRow(56, 'The old and the new version on one database: both accept requests and repeats, and each mail is sent once', async (chance) => {
  const previous = { folder: await checkOutPreviousVersion(onTestFinished) };
  const fixture = await setUpFault(oneMail);
  const { settings } = fixture;
  const newWeb = await startWeb(settings);
  const oldWeb = await startWeb(settings, undefined, previous);
  const oldWorker = await startWorker(settings, previous);
  const webs = [oldWeb, newWeb] as const;

  // Pages are not compared, because the old version uses the new version's pages here.
  for (const { origin } of webs) expect((await fetch(`${origin}/health/ready`)).status).toBe(200);
  const post = async () => {
    const body = makeStrangersBody();
    const [one, other] = chance.pick([webs, [newWeb, oldWeb]] as const);
    expect((await fixture.submit(one.origin, body)).status).toBe(201);
    expect((await fixture.submit(other.origin, body)).status).toBe(200);
  };
  for (let count = 0; count < 5; count += 1) await post();
  await untilMailed(fixture);
  await startWorker(settings);
  for (let count = 0; count < 10; count += 1) await post();
  await untilMailed(fixture);
  // A rollout stops the old processes last. The new worker processes the jobs they queued.
  expect(await oldWorker.stop()).toBe(0);
  const last = makeStrangersBody();
  expect((await fixture.submit(oldWeb.origin, last)).status).toBe(201);
  expect(await oldWeb.stop()).toBe(0);
  await untilMailed(fixture);

  await fixture.expectMails();
});

faultRow(57, 'This version on the schema of the next version: it starts and processes deliveries', async () => {
  const next = await makeNextVersion('alter table deliveries add column next_note text');
  const fixture = await setUpFault(oneMail);
  const { settings } = fixture;
  expect((await migrate(settings['DATABASE_URL'] ?? '', next)).exitCode).toBe(0);

  expect((await migrate(settings['DATABASE_URL'] ?? '')).exitCode).toBe(0);
  const web = await startWeb(settings);
  await startWorker(settings);
  expect(await readReady(web.origin)).toMatchObject({ status: 200, schema: 'current' });
  expect((await fixture.submit(web.origin)).status).toBe(201);
  await untilMailed(fixture);
  await fixture.expectMails();
});

faultRow(57, 'This version on the schema of the version after the next: migrator, web and worker report the mismatch and refuse to run', async () => {
  const next = await makeNextVersion('alter table deliveries add column next_note text');
  const afterNext = await makeNextVersion('alter table deliveries drop column next_note', next.folder);
  const fixture = await setUpFault(oneMail);
  const { settings, database } = fixture;
  const url = settings['DATABASE_URL'] ?? '';
  expect((await migrate(url, afterNext)).exitCode).toBe(0);

  const refused = await migrate(url);
  expect(refused.exitCode).not.toBe(0);
  expect(refused.output).toContain('more than one step newer');
  const web = await startWeb(settings);
  expect(await readReady(web.origin)).toMatchObject({ status: 503, schema: 'too-new' });
  const worker = startProcess('tests/support/worker-entry.ts', settings);
  onTestFinished(async () => void (await worker.stop('SIGKILL')));
  await waitFor('the message', () => worker.output().includes('more than one step newer'));
  expect(worker.output()).not.toContain('The worker is ready.');

  // The previous version starts on the new schema.
  expect((await migrate(url, next)).exitCode).toBe(0);
  const fitting = await startWorkerProcess(settings, next);
  await fitting.stop();
  expect(await database('deliveries')).toEqual([]);
});
