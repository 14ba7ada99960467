import { describe, expect, onTestFinished, test } from 'vitest';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { openDatabase } from '../support/database.ts';
import { runMigrations, planRoles } from '../support/database-roles.ts';
import { setUpDeliveries } from '../support/delivery-fixture.ts';
import { openWeb, openWorker } from '../support/open-site.ts';
import { storeDelivery, storeSubmission } from '../support/ops-fixture.ts';
import { waitFor } from '../support/wait-for.ts';

/** One mail and one export for each request within a test's time, and no queue. */
const WITHOUT_REDIS = { REDIS_URL: '', FOLLOW_UP_REMINDER_AFTER: '20h', FOLLOW_UP_AFTER: '24h' };
const PRODUCTION_DUE = JSON.stringify({ due: 1_000 });
/** However slow the machine, no attempt is given up: its mail would come later than others, or twice. */
const PATIENT = JSON.stringify({ attempt: 30_000, lease: 60_000 });

const listSchemas = async (url: string) => {
  const { rows } = await openDatabase(url, onTestFinished).raw<{ rows: Array<{ nspname: string }> }>(
    "select nspname from pg_namespace where nspname !~ '^pg_'",
  );

  return rows.map(({ nspname }) => nspname);
};

describe('without Redis', () => {
  test('a request’s mail is sent within seconds, and no table of a queue is created', async () => {
    const urls = await planRoles();
    await runMigrations(urls);
    const { settings, sink } = await setUpDeliveries({
      ...WITHOUT_REDIS,
      WORKER_TIMINGS: PRODUCTION_DUE,
      // The roles that change no tables suffice.
      DATABASE_URL: urls.DATABASE_APP_URL,
    });
    const web = await openWeb({ ...settings, DATABASE_URL: urls.DATABASE_WEB_URL });
    const worker = await openWorker(settings);

    const postedAt = performance.now();
    expect((await postContact(web.origin, makeContactBody())).status).toBe(201);
    await waitFor('the mail', () => sink.received.length === 1);

    expect(performance.now() - postedAt).toBeLessThan(5_000);
    expect((await listSchemas(urls.DATABASE_URL)).sort()).toEqual(['information_schema', 'public']);
    for (const { output } of [web, worker]) expect(output()).not.toContain('permission denied');
  });

  test('pending deliveries are sent by due time, within the rate limit of all mails', async () => {
    const { settings, database, sink } = await setUpDeliveries({
      ...WITHOUT_REDIS,
      CRM_PROVIDER: 'none',
      MAIL_RATE: '1/s',
      WORKER_TIMINGS: PATIENT,
    });
    const stored: string[] = [];
    for (const minutes of [3, 9, 5, 7]) {
      const dueAt = new Date(Date.now() - minutes * 60_000);
      const submission = await storeSubmission(database);
      stored.push(submission);
      await storeDelivery(database, submission, { due_at: dueAt });
    }
    await openWorker(settings);
    await waitFor('the mails', () => sink.received.length === 4);

    const [last, first, third, second] = stored;
    expect(sink.received.map(({ header }) => header('X-Submission-Id'))).toEqual([first, second, third, last]);
    const times = sink.received.map(({ receivedAt }) => receivedAt);
    // Claims are 3 s apart (`claim-limiter.test.ts`). The first mail may take longer from there than the last: it
    // opens the connection.
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(1_500);
  });

  test('of two workers one at a time searches for due deliveries, and the other takes over once it ends', async () => {
    const { settings, database, sink } = await setUpDeliveries({
      ...WITHOUT_REDIS,
      CRM_PROVIDER: 'none',
      WORKER_TIMINGS: PATIENT,
    });
    const web = await openWeb(settings);
    const workers = [await openWorker(settings), await openWorker(settings)];
    for (let count = 0; count < 6; count += 1) await postContact(web.origin, makeContactBody());
    await waitFor('the mails', () => sink.received.length === 6);
    const busy = workers.filter(({ output }) => output().includes('A delivery is sent.'));
    expect(busy).toHaveLength(1);

    await busy[0]?.stop();
    await postContact(web.origin, makeContactBody());
    await waitFor('the next mail', () => sink.received.length === 7);
    expect(await database('deliveries').where({ stage: 'new', attempts: 1 })).toHaveLength(7);
  });
});
