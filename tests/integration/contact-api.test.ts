import { beforeAll, describe, expect, test } from 'vitest';
import { apiPaths } from '../../shared/paths.ts';
import { buildTestApp, type TestApp } from '../support/build-test-app.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { waitFor } from '../support/wait-for.ts';

let app: TestApp;

beforeAll(async () => {
  app = await buildTestApp({ RATE_LIMIT_CONTACT: '1000/10m' });

  return app.close;
});

describe('a contact request as JSON', () => {
  test('is stored with all its fields and deliveries before the response is sent', async () => {
    const body = makeContactBody({
      name: '  Ada Example ',
      phone: '',
      source: {
        utm_source: 'newsletter',
        referrer: 'https://example.net/',
        other: 'x',
        visited_paths: ['/', '/about?email=x', '/contact'],
      },
      surprise: 'ignored',
    });

    const response = await postContact(app, body);

    expect(response.status).toBe(201);
    expect(await response.json()).toEqual({ id: body.id });
    const row = await app.database('contact_submissions').where({ id: body.id }).first();
    expect(row).toMatchObject({
      name: 'Ada Example',
      email: 'ada@example.org',
      company: 'Example Sweets',
      phone: null,
      industry: 'manufacturing',
      message: 'We spend Mondays retyping invoices.',
      submitted_at: new Date('2025-11-03T09:00:00.000Z'),
      source: { utm_source: 'newsletter', referrer: 'example.net' },
      visited_paths: ['/', '/about', '/contact'],
    });
    const deliveries = await app.database('deliveries')
      .where({ submission_id: body.id })
      .orderBy('due_at');
    expect(deliveries.map(({ kind, stage }) => [kind, stage]).sort()).toEqual([
      ['acknowledgment', null],
      ['crm-export', null],
      ['follow-up', 'due'],
      ['follow-up', 'new'],
      ['follow-up', 'reminder'],
    ]);
  });

  test('without an id gets an id from the server', async () => {
    const response = await postContact(app, makeContactBody({ id: undefined }));

    expect(response.status).toBe(201);
    expect(await response.json()).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  });

  const links = 'https://a.example https://b.example https://c.example';

  test.each([
    [{ spam: { honeypot: 'Offer', filled_in_ms: 60_000 } }, 'honeypot'],
    [{ message: links, spam: { filled_in_ms: 300 } }, 'too-fast,links'],
    [{ spam: { honeypot: '', filled_in_ms: 60_000 } }, null],
  ])('with %j gets the same responses as any other request, and its quarantine reason is %j', async (changes, reason) => {
    const body = makeContactBody(changes);
    const first = await postContact(app, body);
    const repeat = await postContact(app, body);
    const other = await postContact(app, { ...body, message: 'Something else.' });

    expect([first.status, await first.json()]).toEqual([201, { id: body.id }]);
    expect([repeat.status, await repeat.json()]).toEqual([200, { id: body.id }]);
    expect(other.status).toBe(409);
    const row = await app.database('contact_submissions').where({ id: body.id }).first();
    expect([row?.quarantined_at !== null, row?.quarantine_reason]).toEqual([reason !== null, reason]);
    const deliveries = await app.database('deliveries').where({ submission_id: body.id });
    expect(deliveries.length > 0).toBe(reason === null);
  });

  test.each([
    ['name', '', 'Enter your full name.'],
    ['company', 7, 'Company name must be text.'],
    ['id', 'not-a-uuid', 'id must be a UUID.'],
  ])('with an invalid %s (%j) gets a 400 with a message for that field', async (field, value, message) => {
    const response = await postContact(app, makeContactBody({ [field]: value }));

    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      type: 'about:blank',
      title: 'Some fields need attention',
      status: 400,
      detail: 'Please check the fields that are marked.',
      code: 'invalid-fields',
      errors: { [field]: message },
    });
  });

  test.each([
    ['malformed JSON', 400, 'application/json', '{"name":'],
    ['empty', 400, 'application/json', ''],
    ['JSON with a __proto__ key', 400, 'application/json', '{"__proto__":{"isAdmin":true}}'],
    ['a form', 415, 'application/x-www-form-urlencoded', 'name=Ada'],
    ['larger than 64 KiB', 413, 'application/json', JSON.stringify({ name: 'a'.repeat(65_536) })],
  ])('whose body is %s gets a %i with a problem document', async (_what, status, type, body) => {
    const response = await app.fetch(apiPaths.contactSubmissions, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });

    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect(await response.json()).toMatchObject({ status, code: expect.any(String) });
  });

  test.each([
    ['sec-fetch-site', 'cross-site'],
    ['sec-fetch-site', 'same-site'],
    ['origin', 'https://elsewhere.example'],
    ['origin', 'null'],
  ])('from another origin (%s: %s) is refused', async (header, value) => {
    const response = await app.fetch(apiPaths.contactSubmissions, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [header]: value },
      body: JSON.stringify(makeContactBody()),
    });

    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: 'cross-origin' });
  });

  test('that claims to be a prefetch is refused and not stored, because browsers never prefetch with POST', async () => {
    const body = makeContactBody();
    const response = await app.fetch(apiPaths.contactSubmissions, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-purpose': 'prefetch;prerender' },
      body: JSON.stringify(body),
    });

    expect(response.status).toBe(400);
    expect(await app.database('contact_submissions').where({ id: body.id })).toEqual([]);
  });

  test('gets a 500 for an error in our SQL, not the response for an unreachable database', async () => {
    const rename = (from: string, to: string) =>
      app.database.raw('alter table contact_submissions rename column ?? to ??', [from, to]);
    await rename('company', 'misspelled');

    const response = await postContact(app, makeContactBody());

    await rename('misspelled', 'company');
    expect(response.status).toBe(500);
    expect(response.headers.has('retry-after')).toBe(false);
    expect(await response.json()).toMatchObject({ code: 'internal' });
    await waitFor('the log line', () => app.output().includes('"code":"42703"'));
  });
});
