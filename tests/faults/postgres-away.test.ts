import { expect, onTestFinished } from 'vitest';
import { contactFieldNames } from '../../shared/contact/contact-schema.ts';
import { createDatabase } from '../../shared/node/database/database.ts';
import { makeStrangersBody } from '../support/contact-request.ts';
import { countStates, startWeb, startWorker } from '../support/delivery-fixture.ts';
import { runMigrator } from '../support/migrator.ts';
import { createOwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { startProcess } from '../support/site-process.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { oneMail, setUpFault, longTimeoutWorker } from './fault-fixture.ts';
import { readReady, untilReady } from './web-health.ts';

const typed = {
  name: 'Ada <b>',
  email: 'ada@example.org',
  company: 'Sweets & Co',
  phone: '+1 555 0199',
  industry: 'manufacturing',
  message: 'First line.\nSecond "line".',
};

/** Posts the form as a browser does without JavaScript. */
const postForm = (origin: string) =>
  fetch(`${origin}/contact`, { method: 'POST', body: new URLSearchParams(typed), redirect: 'manual' });

const decode = (html: string) =>
  html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

/** Expects the response to contain the form with everything the visitor typed. */
async function expectFilledForm(response: Response): Promise<void> {
  expect(response.status).toBe(503);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  const html = await response.text();
  expect(html).toContain(`value="${typed.industry}" selected`);
  for (const name of contactFieldNames.filter((field) => field !== 'industry')) {
    expect(decode(html)).toContain(typed[name]);
  }
}

async function expectPages(origin: string): Promise<void> {
  for (const path of ['/', '/contact', '/about', '/insights', '/health/live']) {
    expect((await fetch(origin + path)).status).toBe(200);
  }
  expect(await readReady(origin)).toMatchObject({ status: 503, postgres: 'down' });
}

faultRow(1, 'PostgreSQL down during posts: visitors get 503 and their filled-in form, pages are served, and there is no mail or job', async (chance) => {
  const postgres = await startOwnPostgres();
  const fixture = await setUpFault({ ...oneMail, ...longTimeoutWorker, DATABASE_URL: postgres.url });
  const { database, redis, sink } = fixture;
  const web = await startWeb(fixture.settings);
  const bodies = Array.from({ length: 12 }, () => makeStrangersBody());
  expect((await fixture.submit(web.origin)).status).toBe(201);
  const posting = bodies.map((body) => fixture.submit(web.origin, body));
  await chance.letTimePass(150);
  await postgres.kill();
  // A random number of the requests arrived before the kill.
  for (const { status } of await Promise.all(posting)) expect([201, 503]).toContain(status);
  await redis.command('FLUSHALL');

  const refused = await fixture.submit(web.origin);
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({ code: 'unavailable', status: 503 });
  await expectFilledForm(await postForm(web.origin));
  await expectPages(web.origin);
  expect(await redis.command('KEYS', '*:delivery-*')).toEqual([]);

  await postgres.start();
  await untilReady(web.origin);
  for (const body of bodies) expect((await fixture.submit(web.origin, body)).ok).toBe(true);
  const count = 1 + bodies.length;
  expect(await database('contact_submissions')).toHaveLength(count);
  await startWorker(fixture.settings);
  await waitFor('all mails', async () => (await countStates(database))['sent'] === count);
  expect(sink.received).toHaveLength(count);
  await fixture.expectMails({ recoveredAt: Date.now() });
});

faultRow(2, 'PostgreSQL down when web and worker start: web serves pages, the worker waits, and both connect once it is up', async (chance) => {
  const postgres = await createOwnPostgres();
  const fixture = await setUpFault({ ...oneMail, ...longTimeoutWorker, DATABASE_URL: postgres.url });
  const { settings } = fixture;
  const web = await startWeb(settings);
  const worker = startProcess('tests/support/worker-entry.ts', settings);
  onTestFinished(async () => {
    await worker.stop();
  });
  await expectPages(web.origin);
  await waitFor('the worker to wait', () => worker.output().includes('Waiting for the database.'));
  expect((await fixture.submit(web.origin)).status).toBe(503);
  await chance.letTimePass(1_500);

  await postgres.start();
  await waitFor('web to see a database without tables', async () => {
    return (await readReady(web.origin)).schema === 'behind';
  });
  await runMigrator(settings);
  await untilReady(web.origin);
  expect((await fixture.submit(web.origin)).status).toBe(201);
  await waitFor('the mail', () => fixture.sink.received.length === 1);

  await waitFor('the record', async () => (await countStates(fixture.database))['sent'] === 1);
  expect([web.hasExited(), worker.hasExited()]).toEqual([false, false]);
  await fixture.expectMails();
});

const HOLD_MS = 1_500;

faultRow(4, 'PostgreSQL restarts during transactions: a request is stored with its deliveries or not at all, and exactly once after a retry', async (chance) => {
  const postgres = await startOwnPostgres();
  const fixture = await setUpFault({ ...oneMail, ...longTimeoutWorker, DATABASE_URL: postgres.url });
  const { database } = fixture;
  const web = await startWeb(fixture.settings);
  const watcher = createDatabase(postgres.url, 'test');
  await watcher.raw(`
    create function hold() returns trigger language plpgsql as
      $$ begin perform pg_sleep(random() * ${HOLD_MS / 1_000}); return null; end $$;
    create trigger hold after insert on deliveries for each statement execute function hold();
  `);
  const bodies = Array.from({ length: 8 }, () => makeStrangersBody());
  const pendingResponses = bodies.map((body) => fixture.submit(web.origin, body));
  await waitFor('an open transaction', async () => {
    const { rows } = await watcher.raw<{ rows: unknown[] }>(
      "select from pg_stat_activity where wait_event = 'PgSleep'",
    );

    return rows.length > 0;
  });
  await watcher.destroy();
  await chance.letTimePass(HOLD_MS - 300);
  await postgres.stop('immediate');
  const interrupted = await Promise.all(pendingResponses);
  await postgres.start();

  expect(interrupted.map(({ status }) => status).filter((status) => status !== 201)).toContain(503);
  await database.raw('drop trigger hold on deliveries');
  const rows = await database('contact_submissions').select('id');
  expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining([...fixture.accepted]));
  expect(await database('deliveries')).toHaveLength(4 * rows.length);
  for (const body of bodies) expect((await fixture.submit(web.origin, body)).ok).toBe(true);
  expect(await database('contact_submissions')).toHaveLength(bodies.length);
  expect(await database('deliveries')).toHaveLength(4 * bodies.length);
  await startWorker(fixture.settings);
  await waitFor('all mails', async () => (await countStates(database))['sent'] === bodies.length);
  await fixture.expectMails({ recoveredAt: Date.now() });
});
