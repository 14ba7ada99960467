import { beforeAll, describe, expect, test } from 'vitest';
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

/** Whether and why a request is held, and its number of deliveries. */
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
    [{ message: links, spam: { filled_in_ms: 300 } }, held('too-fast,links')],
    [{ spam: { honeypot: '', filled_in_ms: 60_000 } }, passed],
  ])('with %j is accepted, and then: %j', async (changes, result) => {
    const body = makeContactBody(changes);
    const response = await postContact(app, body);

    expect([response.status, await response.json()]).toEqual([201, { id: body.id }]);
    expect(await readResult({ id: body.id })).toEqual(result);
  });

  test('that is held gets the same response when it is repeated, and 409 with other content', async () => {
    const body = makeContactBody({ message: links });
    await postContact(app, body);
    const repeat = await postContact(app, body);
    const other = await postContact(app, { ...body, message: 'Something else.' });

    expect([repeat.status, await repeat.json()]).toEqual([200, { id: body.id }]);
    expect(other.status).toBe(409);
  });
});

test.each([
  [{ company: 'Form, filled trap', subject: 'Offer' }, held('honeypot')],
  [{ company: 'Form, a person', subject: '' }, passed],
  [{ company: 'Form, an older page' }, passed],
])('a plain form post with %j leads to success, and then: %j', async (fields, result) => {
  const response = await app.fetch(routePatterns.contact, {
    method: 'POST',
    body: new URLSearchParams({ name: 'Ada', email: 'ada@example.org', ...fields }),
  });

  expect([response.status, response.headers.get('location')]).toEqual([303, '/contact?sent=1']);
  expect(await readResult({ company: fields.company })).toEqual(result);
});
