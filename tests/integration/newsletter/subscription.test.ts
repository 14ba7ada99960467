import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { escapeHtml } from '../../../shared/escape-html.ts';
import { newsletterMessages } from '../../../shared/newsletter/newsletter-messages.ts';
import { buildTestApp } from '../../support/build-test-app.ts';
import { PASSWORD, postForm as postGatedForm, readCookie, tryPassword } from '../../support/insights-gate.ts';
import { articles } from '../../support/site-content.ts';
import {
  makeClient,
  makeEmail,
  makeSubscription,
  openTestDatabase,
  post,
  setUpWeb,
  today,
  web,
  yesterday,
} from './newsletter-web.ts';

setUpWeb();

const postForm = (fields: string | Record<string, string>, headers: Record<string, string> = makeClient()) =>
  fetch(`${web.origin}/newsletter`, {
    method: 'POST',
    headers,
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });

/** Returns an address's stored subscriptions and deliveries. */
async function readRows(email: string) {
  const database = openTestDatabase();
  const subscriptions = await database('newsletter_subscriptions').where({ email });
  const deliveries = await database('deliveries')
    .whereIn('subscription_id', subscriptions.map(({ id }) => id))
    .orderBy('due_at');

  return { database, subscriptions, deliveries };
}

/** Returns all parts of a response except its date. */
async function describeResponse(response: Response) {
  const headers = [...response.headers].filter(([name]) => name !== 'date');

  return { status: response.status, headers, body: await response.text() };
}

describe('a subscription', () => {
  test('stores the normalized address and a delivery before the response is sent', async () => {
    const name = `Zoe-${randomUUID()}`;
    const response = await post(`  ${name}@Mu\u0308nchen.example\n`);

    expect(response.status).toBe(202);
    expect(await response.json()).toEqual({});
    expect(response.headers.get('cache-control')).toBe('no-store');
    const { subscriptions, deliveries } = await readRows(`${name.toLowerCase()}@xn--mnchen-3ya.example`);
    expect(subscriptions).toMatchObject([{ created_at: expect.any(Date), confirmed_at: null, unsubscribed_at: null }]);
    expect(deliveries).toMatchObject([{ kind: 'newsletter', stage: null, state: 'pending', submission_id: null }]);
  });

  test.each([
    ['is unconfirmed', {}, 2],
    ['is confirmed', { confirmed_at: today }, 1],
    ['was ended', { confirmed_at: yesterday, unsubscribed_at: today }, 2],
  ])('that %s gets the same response as an unknown address', async (_what, times, count) => {
    const { email, id, read } = await makeSubscription(times);
    const before = await read();

    const [unknown, known] = [await post(makeEmail()), await post(email.toUpperCase())];
    expect(await describeResponse(known)).toEqual(await describeResponse(unknown));
    const [unknownForm, knownForm] = [await postForm({ email: makeEmail() }), await postForm({ email })];
    expect(await describeResponse(knownForm)).toEqual(await describeResponse(unknownForm));

    const { subscriptions, deliveries } = await readRows(email);
    expect(subscriptions).toEqual([before]);
    expect(deliveries).toHaveLength(count);
    expect(deliveries.every(({ subscription_id: about }) => about === id)).toBe(true);
  });

  test('that is posted twenty times simultaneously creates one row and one mail', async () => {
    const email = makeEmail();

    const responses = await Promise.all(Array.from({ length: 20 }, () => post(email)));

    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 202));
    const { subscriptions, deliveries } = await readRows(email);
    expect([subscriptions.length, deliveries.length]).toEqual([1, 1]);
  });

  test('with an incomplete address is refused, and the response gives the reason', async () => {
    const response = await post('nowhere');

    expect(response.status).toBe(400);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toMatchObject({
      code: 'invalid-fields',
      errors: { email: 'Enter a complete email address, like name@company.com.' },
    });
  });

  test('is refused after ten from the same client within ten minutes, and the form keeps the address', async () => {
    const client = makeClient();
    const email = makeEmail();
    for (let count = 0; count < 10; count += 1) {
      expect((await post('nowhere', client)).status).toBe(400);
      expect((await post(email, client)).status).toBe(202);
    }

    const [refused, form] = [await post(makeEmail(), client), await postForm({ email }, client)];
    expect(await refused.json()).toMatchObject({ code: 'rate-limited' });
    const html = await form.text();
    expect(html).toContain('Too many requests from your network.');
    expect(html).toContain(`value="${email}"`);
    for (const { status, headers } of [refused, form]) {
      expect([status, Number(headers.get('retry-after')) > 500]).toEqual([429, true]);
    }
  });
});

describe('the newsletter box without JavaScript', () => {
  test('redirects to a page with the next step', async () => {
    const email = makeEmail();
    const response = await postForm({ email });

    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe('/insights?subscribed=1#newsletter');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect((await readRows(email)).deliveries).toHaveLength(1);
    const next = await (await fetch(`${web.origin}/insights?subscribed=1`)).text();
    expect(next).toContain(newsletterMessages.success);
    expect(await (await fetch(`${web.origin}/insights`)).text()).not.toContain(newsletterMessages.success);
  });

  test('is shown again with the entered address and the error', async () => {
    const response = await postForm({ email: '"><b>' });
    const html = await response.text();

    expect(response.status).toBe(422);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(html).toContain('value="&quot;&gt;&lt;b&gt;"');
    expect(html).toContain('Enter a complete email address, like name@company.com.');
    expect(html).toContain('aria-invalid="true"');
    expect((await postForm('email=a%40example.org&email=b%40example.org')).status).toBe(422);
  });
});

test('the page with a newsletter error lists the articles only for visitors who have unlocked the listing', async () => {
  const gated = await buildTestApp({ INSIGHTS_PASSWORD: PASSWORD });
  onTestFinished(gated.close);
  const cookie = readCookie(await tryPassword(gated, { password: PASSWORD })) ?? '';
  const getPage = async (options: { readonly cookie?: string }) =>
    (await postGatedForm(gated, '/newsletter', { email: 'nowhere' }, options)).text();
  const [locked, unlocked] = [await getPage({}), await getPage({ cookie })];

  for (const { title } of articles) {
    expect(locked).not.toContain(escapeHtml(title));
    expect(unlocked).toContain(escapeHtml(title));
  }
  for (const html of [locked, unlocked]) {
    expect(html).toContain('Enter a complete email address, like name@company.com.');
  }
});
