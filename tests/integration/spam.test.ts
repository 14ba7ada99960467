import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { planDeliveries } from '../../shared/deliveries/delivery.ts';
import { releaseSubmission } from '../../shared/node/held-requests/held-requests.ts';
import { routePatterns } from '../../shared/paths.ts';
import { buildTestApp, type TestApp } from '../support/build-test-app.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';

const COOKIE_SECRET = 's'.repeat(32);
let app: TestApp;

beforeAll(async () => {
  app = await buildTestApp({ COOKIE_SECRET, RATE_LIMIT_CONTACT: '1000/10m', ACKNOWLEDGE: 'off' });

  return app.close;
});

const links = 'https://a.example https://b.example https://c.example';

/** What happened to a request: whether it is held and why, and how many deliveries it has. */
async function readResult(where: { id: string } | { company: string }) {
  const { database } = app;
  const [row, ...others] = await database('contact_submissions').where(where);
  if (!row || others.length > 0) throw new Error(`There are ${others.length + (row ? 1 : 0)} rows.`);
  const deliveries = await database('deliveries').where({ submission_id: row.id });

  return {
    isHeld: row.quarantined_at !== null,
    reason: row.quarantine_reason,
    deliveries: deliveries.length,
  };
}

const passed = { isHeld: false, reason: null, deliveries: 4 };
const held = (reason: string) => ({ isHeld: true, reason, deliveries: 0 });

describe('a request as JSON', () => {
  test.each([
    [{ spam: { honeypot: 'Offer', filled_in_ms: 60_000 } }, held('honeypot')],
    [{ spam: { filled_in_ms: 300 } }, held('too-fast')],
    [{ message: links }, held('links')],
    [{ name: 'www.spam.example' }, held('links')],
    [{ company: 'https://www.acme.example' }, passed],
    [{ message: links, spam: { filled_in_ms: 300 } }, held('too-fast,links')],
    [{ spam: { honeypot: '', filled_in_ms: 60_000 } }, passed],
    [{}, passed],
    [{ spam: 'rubbish' }, passed],
    [{ spam: { honeypot: { a: 'x' }, filled_in_ms: 'soon' } }, passed],
    [{ spam: { honeypot: ['', 'x'] } }, held('honeypot')],
  ])('with %j is accepted, and then: %j', async (changes, result) => {
    const body = makeContactBody(changes);
    const response = await postContact(app, body);

    expect([response.status, await response.json()]).toEqual([201, { id: body.id }]);
    expect(await readResult({ id: body.id })).toEqual(result);
  });

  test('that is held gets the first response again, and 409 with other content', async () => {
    const body = makeContactBody({ message: links });
    await postContact(app, body);
    const repeat = await postContact(app, body);
    const other = await postContact(app, { ...body, message: 'Something else.' });

    expect([repeat.status, await repeat.json()]).toEqual([200, { id: body.id }]);
    expect(other.status).toBe(409);
  });

  test('that is held is logged with its reasons only', async () => {
    const canary = `canary-${Date.now()}`;
    await postContact(app, makeContactBody({ name: `www.${canary}.example` }));

    await expect.poll(app.output, { timeout: 10_000 }).toContain('"reasons":["links"]');
    expect(app.output()).not.toContain(canary);
  });
});

describe('a plain form post', () => {
  const postForm = (fields: Record<string, string>) =>
    app.fetch(routePatterns.contact, {
      method: 'POST',
      body: new URLSearchParams({ name: 'Ada', email: 'ada@example.org', ...fields }),
    });

  test.each([
    [{ company: 'Form, filled trap', subject: 'Offer' }, held('honeypot')],
    [{ company: 'Form, links', message: links, subject: '' }, held('links')],
    [{ company: 'www.acme.example', subject: '' }, passed],
    [{ company: 'Form, a person', subject: '' }, passed],
    [{ company: 'Form, an older page' }, passed],
    [{ company: 'Form, rubbish', spam: 'honeypot' }, passed],
  ])('with %j leads to success, and then: %j', async (fields, result) => {
    const response = await postForm(fields);

    expect([response.status, response.headers.get('location')]).toEqual([303, '/contact?sent=1']);
    expect(await readResult({ company: fields.company })).toEqual(result);
  });
});

describe('releasing a held request', () => {
  const plan = planDeliveries({ reminderAfter: 1_000, dueAfter: 2_000, acknowledges: false, hasChat: true });

  test('gives it its deliveries, counted from now, once', async () => {
    const { database } = app;
    const body = makeContactBody({ message: links });
    await postContact(app, body);
    await database('contact_submissions')
      .where({ id: body.id })
      .update({ received_at: database.raw("now() - interval '3 days'") });

    const release = () =>
      database.transaction((transaction) => releaseSubmission(transaction, body.id, plan));
    const [first, second] = [await release(), await release()];

    expect(first?.map(({ kind, delayMs }) => [kind, delayMs]).sort()).toEqual([
      ['chat', 0],
      ['crm-export', 0],
      ['follow-up', 0],
      ['follow-up', 1_000],
      ['follow-up', 2_000],
    ]);
    expect(second).toBeUndefined();
    expect(await readResult({ id: body.id })).toEqual({ ...passed, reason: 'links', deliveries: 5 });
    const row = await database('contact_submissions').where({ id: body.id }).first();
    const due = await database('deliveries').where({ submission_id: body.id, stage: 'due' }).first();
    expect(Number(due?.due_at) - Number(row?.released_at)).toBe(2_000);
  });

  test('does nothing for a request that isn’t held', async () => {
    const { database } = app;
    const body = makeContactBody();
    await postContact(app, body);

    expect(
      await database.transaction((transaction) => releaseSubmission(transaction, body.id, plan)),
    ).toBeUndefined();
    expect(await readResult({ id: body.id })).toEqual(passed);
  });
});

test('a held request counts for the rate limit like any other', async () => {
  const limited = await buildTestApp({ RATE_LIMIT_CONTACT: '2/10m' });
  onTestFinished(limited.close);
  const statuses: number[] = [];
  for (const body of [makeContactBody({ message: links }), makeContactBody(), makeContactBody()]) {
    statuses.push((await postContact(limited, body)).status);
  }

  expect(statuses).toEqual([201, 201, 429]);
});
