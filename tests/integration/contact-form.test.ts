import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { routePatterns } from '../../shared/paths.ts';
import { buildTestApp, type TestApp } from '../support/build-test-app.ts';
import type { TestRequest } from '../support/test-site.ts';
import { makeClient } from '../support/contact-request.ts';

let app: TestApp;

beforeAll(async () => {
  app = await buildTestApp({ RATE_LIMIT_CONTACT: '1000/10m' });

  return app.close;
});

const postForm = (fields: Record<string, string>, request: TestRequest = {}) =>
  app.fetch(routePatterns.contact, {
    method: 'POST',
    body: new URLSearchParams(fields),
    ...request,
  });

describe('the form without JavaScript', () => {
  const fields = { name: 'Ada', email: 'ada@example.org', company: 'Sweets', phone: '', message: '' };

  test('stores the request and redirects to the confirmation', async () => {
    const response = await postForm({ ...fields, company: 'Stored once', industry: 'education' });

    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe('/contact?sent=1');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await app.database('contact_submissions').where({ company: 'Stored once' })).toEqual([
      expect.objectContaining({ name: 'Ada', phone: null, message: null, industry: 'education' }),
    ]);
  });

  test('stores the same content only once within ten minutes, even if it arrives ten times simultaneously', async () => {
    const send = () => postForm({ ...fields, company: 'Sent often' }, { client: makeClient() });

    const responses = await Promise.all(Array.from({ length: 10 }, send));
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 303));
    expect(await app.database('contact_submissions').where({ company: 'Sent often' })).toHaveLength(1);

    const sendAfter = async (minutes: number) => {
      const stored = app.database('contact_submissions').where({ company: 'Sent often' });
      await stored.clone().update({ received_at: app.database.raw(`now() - interval '${minutes} minutes'`) });
      await send();

      return stored;
    };
    expect(await sendAfter(9)).toHaveLength(1);
    expect(await sendAfter(11)).toHaveLength(2);
  });

  test('is shown again in less than 4 kB with the typed values and a message beside each invalid field', async () => {
    const response = await postForm({ ...fields, name: '"><b>', email: 'nowhere', company: '' });
    const html = await response.text();

    expect(response.status).toBe(422);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(html).toContain('value="&quot;&gt;&lt;b&gt;"');
    expect(html).toContain('value="nowhere"');
    expect(html).toContain('Enter a complete email address, like name@company.com.');
    expect(html).toContain('Enter your company name.');
    expect(html).toMatch(/aria-invalid="true"/);
    expect(Buffer.byteLength(html)).toBeLessThan(4_000);
  });

  test('is shown again after a 429, with the typed values, the reason and an email address', async () => {
    const limited = await buildTestApp({ RATE_LIMIT_CONTACT: '1/10m' });
    onTestFinished(limited.close);
    const send = (company: string) =>
      limited.fetch(routePatterns.contact, { method: 'POST', body: new URLSearchParams({ ...fields, company }) });
    await send('Within the limit');
    const response = await send('Over the limit');
    const html = await response.text();

    expect(response.status).toBe(429);
    expect(html).toContain('value="Over the limit"');
    expect(html).toContain('Database error: ');
    expect(html).toContain('Or email us at <a href="mailto:legal@example.com">legal@example.com</a>');
  });

  test.each([
    [{ company: 'Filled trap', subject: 'Offer' }, 'honeypot'],
    [{ company: 'A person', subject: '' }, null],
    [{ company: 'An older page' }, null],
  ])('with %j leads to the confirmation, and the request’s quarantine reason is %j', async (changes, reason) => {
    const response = await postForm({ ...fields, ...changes });

    expect([response.status, response.headers.get('location')]).toEqual([303, '/contact?sent=1']);
    expect(await app.database('contact_submissions').where({ company: changes.company })).toMatchObject([
      { quarantine_reason: reason },
    ]);
  });
});
