import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { makeClient, makeContactBody, postContact } from '../support/contact-request.ts';
import { startWebProcess, type WebProcess } from '../support/site-process.ts';

const COOKIE_SECRET = 's'.repeat(32);
let databaseUrl: string;
let web: WebProcess;

beforeAll(async () => {
  databaseUrl = await createMigratedDatabase();
  web = await startWebProcess({
    DATABASE_URL: databaseUrl,
    COOKIE_SECRET,
    RATE_LIMIT_CONTACT: '1000/10m',
    TRUST_PROXY: '127.0.0.1',
  });

  return async () => {
    await web.stop();
  };
});

const postForm = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`${web.origin}/contact`, {
    method: 'POST',
    headers,
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });

describe('the form without JavaScript', () => {
  const fields = { name: 'Ada', email: 'ada@example.org', company: 'Sweets', phone: '', message: '' };

  test('stores the request and leads to the page that says so', async () => {
    const database = openDatabase(databaseUrl, onTestFinished);
    const answer = await postForm({ ...fields, company: 'Stored once', industry: 'education' });

    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe('/contact?sent=1');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await database('contact_submissions').where({ company: 'Stored once' })).toEqual([
      expect.objectContaining({ name: 'Ada', phone: null, message: null, industry: 'education' }),
    ]);
  });

  test('takes the same content within ten minutes for a repeat, also ten at once', async () => {
    const database = openDatabase(databaseUrl, onTestFinished);
    const send = () =>
      postForm({ ...fields, company: 'Sent often' }, { 'x-forwarded-for': makeClient() });

    const answers = await Promise.all(Array.from({ length: 10 }, send));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 303));
    expect(await database('contact_submissions').where({ company: 'Sent often' })).toHaveLength(1);

    await database('contact_submissions')
      .where({ company: 'Sent often' })
      .update({ received_at: database.raw("now() - interval '11 minutes'") });
    await send();
    expect(await database('contact_submissions').where({ company: 'Sent often' })).toHaveLength(2);
  });

  test('comes back with what was typed and a message beside each bad field', async () => {
    const answer = await postForm({ ...fields, name: '"><b>', email: 'nowhere', company: '' });
    const html = await answer.text();

    expect(answer.status).toBe(422);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(html).toContain('value="&quot;&gt;&lt;b&gt;"');
    expect(html).toContain('value="nowhere"');
    expect(html).toContain('Enter a complete email address, like name@company.com.');
    expect(html).toContain('Enter your company name.');
    expect(html).toMatch(/aria-invalid="true"/);
  });

  test('from another origin is refused and stores nothing', async () => {
    const database = openDatabase(databaseUrl, onTestFinished);
    const answer = await postForm(
      { ...fields, company: 'Forged' },
      { 'sec-fetch-site': 'cross-site' },
    );

    expect(answer.status).toBe(403);
    expect(await database('contact_submissions').where({ company: 'Forged' })).toEqual([]);
  });

  test('takes nothing but a form', async () => {
    const answer = await fetch(`${web.origin}/contact`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    });

    expect(answer.status).toBe(415);
  });
});

describe('the link "Mark as contacted"', () => {
  async function makeLead() {
    const database = openDatabase(databaseUrl, onTestFinished);
    const { id } = (await (await postContact(web.origin, makeContactBody())).json()) as { id: string };
    const url = `${web.origin}/follow-up/${signLinkToken('follow-up', id, [COOKIE_SECRET])}`;

    return { database, id, url };
  }

  test('shows a page that changes nothing by itself', async () => {
    const { database, id, url } = await makeLead();
    const answer = await fetch(url);

    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
    expect(await answer.text()).toContain('Mark as contacted');
    expect(await database('contact_submissions').where({ id }).first()).toMatchObject({
      contacted_at: null,
    });
  });

  test('on the button calls off the mails to come, once and for all', async () => {
    const { database, id, url } = await makeLead();

    const [first, second] = [await fetch(url, { method: 'POST' }), await fetch(url, { method: 'POST' })];

    expect([first.status, second.status]).toEqual([200, 200]);
    const lead = await database('contact_submissions').where({ id }).first();
    expect(lead?.contacted_at).toBeInstanceOf(Date);
    const states = await database('deliveries').where({ submission_id: id }).select('kind', 'state');
    expect(states.filter(({ kind }) => kind === 'follow-up').map(({ state }) => String(state))).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
    ]);
    expect(states.find(({ kind }) => kind === 'crm-export')?.state).toBe('pending');
  });

  test('that is forged or too old is not found', async () => {
    const { id } = await makeLead();
    const old = signLinkToken('follow-up', id, [COOKIE_SECRET], Date.now() - 91 * 24 * 3_600_000);

    for (const token of [old, signLinkToken('follow-up', id, ['x'.repeat(32)]), 'nonsense']) {
      for (const method of ['GET', 'POST']) {
        expect((await fetch(`${web.origin}/follow-up/${token}`, { method })).status).toBe(404);
      }
    }
  });
});
