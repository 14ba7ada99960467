import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { escapeHtml } from '../../shared/escape-html.ts';
import { newsletterMessages } from '../../shared/newsletter/newsletter-messages.ts';
import type { DeliveryRow } from '../../shared/node/deliveries/delivery-table.ts';
import { readLinkTime, signLinkToken, type LinkPurpose } from '../../shared/node/mail/signed-action-link.ts';
import { apiPaths, pathTo } from '../../shared/paths.ts';
import { Day, Hour } from '../../shared/time.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { setUpDeliveries, untilSent } from '../support/delivery-fixture.ts';
import { openWeb, openWebServer, openWorker, type OpenWeb } from '../support/open-site.ts';
import { articles } from '../support/site-content.ts';
import { waitFor } from '../support/wait-for.ts';

const COOKIE_SECRET = 's'.repeat(32);
/** With it a request names its client itself. */
const settings = { COOKIE_SECRET, TRUST_PROXY: '127.0.0.1' };
let databaseUrl: string;
let web: OpenWeb;

beforeAll(async () => {
  databaseUrl = await createMigratedDatabase();
  web = await openWebServer({ ...settings, DATABASE_URL: databaseUrl });

  return web.stop;
});

const openTestDatabase = () => openDatabase(databaseUrl, onTestFinished);

let clients = 0;

/** The header of a client without earlier requests, in a network of its own. */
function makeClient() {
  clients += 1;

  return { 'x-forwarded-for': `198.18.${clients}.1` };
}

const today = new Date();
const yesterday = new Date(Date.now() - Day);

const makeEmail = () => `reader-${randomUUID()}@example.org`;

function post(email: unknown, headers: Record<string, string> = makeClient(), origin = web.origin) {
  return fetch(origin + apiPaths.newsletterSubscriptions, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ email, source: 'x', confirmed_at: '2020-01-01' }),
  });
}

const postForm = (fields: string | Record<string, string>, headers: Record<string, string> = makeClient()) =>
  fetch(`${web.origin}/newsletter`, {
    method: 'POST',
    headers,
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });

/** What an address has in the database. */
async function readRows(email: string) {
  const database = openTestDatabase();
  const subscriptions = await database('newsletter_subscriptions').where({ email });
  const deliveries = await database('deliveries')
    .whereIn('subscription_id', subscriptions.map(({ id }) => id))
    .orderBy('due_at');

  return { database, subscriptions, deliveries };
}

/** A subscription whose last mail was long ago. */
async function makeSubscription(times: Record<string, Date> = {}) {
  const database = openTestDatabase();
  const email = makeEmail();
  const [row] = await database('newsletter_subscriptions').insert({ email, ...times }).returning('id');
  if (!row) throw new Error('There is no row.');
  const { id } = row;
  await database('deliveries').insert({
    subscription_id: id,
    kind: 'newsletter',
    state: 'sent',
    due_at: database.raw("now() - interval '11 minutes'"),
  });
  const read = () => database('newsletter_subscriptions').where({ id }).first();

  return { database, email, id, read };
}

/** Everything of a response except what differs for each. */
async function describeResponse(response: Response) {
  const headers = [...response.headers].filter(([name]) => name !== 'date');

  return { status: response.status, headers, body: await response.text() };
}

describe('a subscription', () => {
  test('stores the address in one form and a delivery, before its response', async () => {
    const name = `Zoe-${randomUUID()}`;
    const response = await post(`  ${name}@Mu\u0308nchen.example\n`);

    expect(response.status).toBe(202);
    expect(await response.json()).toEqual({});
    expect(response.headers.get('cache-control')).toBe('no-store');
    const { subscriptions, deliveries } = await readRows(`${name.toLowerCase()}@m\u00fcnchen.example`);
    expect(subscriptions).toEqual([
      expect.objectContaining({
        created_at: expect.any(Date),
        confirmed_at: null,
        unsubscribed_at: null,
      }),
    ]);
    expect(deliveries).toEqual([
      expect.objectContaining({ kind: 'newsletter', stage: null, state: 'pending', submission_id: null }),
    ]);
  });

  test.each([
    ['waits for its confirmation', {}, 2],
    ['is confirmed', { confirmed_at: today }, 1],
    ['was left', { confirmed_at: yesterday, unsubscribed_at: today }, 2],
  ])('that %s gets the same response as an unknown one', async (_what, times, count) => {
    const { email, id, read } = await makeSubscription(times);
    const before = await read();

    const [unknown, known] = [await post(makeEmail()), await post(email.toUpperCase())];
    expect(await describeResponse(known)).toEqual(await describeResponse(unknown));
    const [unknownForm, knownForm] = [
      await postForm({ email: makeEmail() }),
      await postForm({ email }),
    ];
    expect(await describeResponse(knownForm)).toEqual(await describeResponse(unknownForm));

    const { subscriptions, deliveries } = await readRows(email);
    expect(subscriptions).toEqual([before]);
    expect(deliveries).toHaveLength(count);
    expect(deliveries.every(({ subscription_id: about }) => about === id)).toBe(true);
  });

  test('posted twenty times at once is one row and one mail', async () => {
    const email = makeEmail();

    const responses = await Promise.all(Array.from({ length: 20 }, () => post(email)));

    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 202));
    const { subscriptions, deliveries } = await readRows(email);
    expect([subscriptions.length, deliveries.length]).toEqual([1, 1]);
  });

  test('gets another mail when the last one is ten minutes old and sent', async () => {
    const email = makeEmail();
    await post(email);
    const { database, deliveries } = await readRows(email);
    const change = (values: Pick<DeliveryRow, 'state'> & { readonly due_at?: Knex.Raw }) =>
      database('deliveries').where({ id: deliveries[0]?.id ?? '' }).update(values);
    const countMails = async () => (await readRows(email)).deliveries.length;

    await change({ state: 'sent', due_at: database.raw("now() - interval '9 minutes'") });
    await post(email);
    expect(await countMails()).toBe(1);

    await change({ state: 'pending', due_at: database.raw("now() - interval '11 minutes'") });
    await post(email);
    expect(await countMails()).toBe(1);

    await change({ state: 'sent' });
    await post(email);
    expect(await countMails()).toBe(2);
  });

  test('gets three mails a day at most', async () => {
    const email = makeEmail();
    await post(email);
    const { database } = await readRows(email);
    const countMails = async () => (await readRows(email)).deliveries.length;
    const letTimePass = async () => {
      const { deliveries } = await readRows(email);
      for (const { id } of deliveries) {
        await database('deliveries')
          .where({ id })
          .update({ state: 'sent', due_at: database.raw("due_at - interval '11 minutes'") });
      }
    };
    for (const mails of [2, 3, 3]) {
      await letTimePass();
      await post(email);
      expect(await countMails()).toBe(mails);
    }
  });

  test.each([
    ['nowhere', 'Enter a complete email address, like name@company.com.'],
    ['', 'Enter your email address.'],
    [['a@example.org'], 'Email address must be text.'],
  ])('of %j is refused with the reason', async (email, error) => {
    const response = await post(email);

    expect(response.status).toBe(400);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toMatchObject({ code: 'invalid-fields', errors: { email: error } });
  });

  test('is refused for another origin, and for anything but JSON', async () => {
    const email = makeEmail();

    expect((await post(email, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await post(email, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await post(email, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await readRows(email)).subscriptions).toEqual([]);
  });

  test('is refused from the eleventh within ten minutes on, to this client only', async () => {
    const client = makeClient();
    const email = makeEmail();
    for (let count = 0; count < 10; count += 1) {
      expect((await post('nowhere', client)).status).toBe(400);
      expect((await post(email, client)).status).toBe(202);
    }

    const refused = await post(makeEmail(), client);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(500);
    expect(await refused.json()).toMatchObject({ code: 'rate-limited' });
    expect((await post(email)).status).toBe(202);

    const form = await postForm({ email }, client);
    expect([form.status, Number(form.headers.get('retry-after')) > 500]).toEqual([429, true]);
    const html = await form.text();
    expect(html).toContain('Too many requests from your network.');
    expect(html).toContain(`value="${email}"`);
  });
});

describe('the newsletter box without JavaScript', () => {
  test('leads to the page with the next step', async () => {
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

  test('comes back with what was typed and what is wrong with it', async () => {
    const response = await postForm({ email: '"><b>' });
    const html = await response.text();

    expect(response.status).toBe(422);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(html).toContain('value="&quot;&gt;&lt;b&gt;"');
    expect(html).toContain('Enter a complete email address, like name@company.com.');
    expect(html).toContain('aria-invalid="true"');
    expect((await postForm('email=a%40example.org&email=b%40example.org')).status).toBe(422);
  });

  test('is refused from another origin; its address is no page', async () => {
    const email = makeEmail();

    expect((await postForm({ email }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await readRows(email)).subscriptions).toEqual([]);
    expect((await fetch(`${web.origin}/newsletter`)).status).toBe(404);
  });
});

test('the box that comes back shows the listing to whom it is open, and to nobody else', async () => {
  const INSIGHTS_PASSWORD = 'open sesame';
  const gated = await openWeb({ ...settings, DATABASE_URL: databaseUrl, INSIGHTS_PASSWORD });
  const session = await fetch(gated.origin + apiPaths.insightsSession, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ password: INSIGHTS_PASSWORD }),
  });
  const cookie = String(session.headers.get('set-cookie')).split(';', 1).join();
  const getPage = async (headers: Record<string, string>) => {
    const response = await fetch(`${gated.origin}/newsletter`, {
      method: 'POST',
      headers,
      body: new URLSearchParams({ email: 'nowhere' }),
    });

    return response.text();
  };
  const [locked, unlocked] = [await getPage({}), await getPage({ cookie })];

  for (const { title } of articles) {
    expect(locked).not.toContain(escapeHtml(title));
    expect(unlocked).toContain(escapeHtml(title));
  }
  for (const html of [locked, unlocked]) {
    expect(html).toContain('Enter a complete email address, like name@company.com.');
  }
});

describe('while PostgreSQL is down', () => {
  test('an address is not stored, it counts towards no limit, and the box shows that', async () => {
    const away = await openWeb({ ...settings, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
    const client = makeClient();

    for (let count = 0; count < 11; count += 1) {
      const response = await post('ada@example.org', client, away.origin);
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '30']);
    }
    const form = await fetch(`${away.origin}/newsletter`, {
      method: 'POST',
      body: new URLSearchParams({ email: 'ada@example.org' }),
    });
    expect([form.status, form.headers.get('retry-after')]).toEqual([503, '30']);
    expect(await form.text()).toContain('value="ada@example.org"');
    const token = signLinkToken('newsletter-confirm', randomUUID(), [COOKIE_SECRET]);
    expect((await fetch(away.origin + pathTo.newsletterConfirmation(token))).status).toBe(503);
    expect(away.output()).not.toContain('ada@example.org');
  });
});

/** Seconds since 1970 at which the token at the end of an address was created. */
const readMadeAt = (url: string) => readLinkTime(url.split('/').at(-1) ?? '').getTime() / 1_000;

describe('a link in a mail', () => {
  const tasks = {
    confirm: { purpose: 'newsletter-confirm', button: 'Confirm', done: 'You are subscribed' },
    unsubscribe: {
      purpose: 'newsletter-unsubscribe',
      button: 'Unsubscribe',
      done: 'You are unsubscribed',
    },
  } as const;
  const makeUrl = (task: keyof typeof tasks, id: string) =>
    `${web.origin}/newsletter/${task}/${signLinkToken(tasks[task].purpose, id, [COOKIE_SECRET])}`;

  test.each(['confirm', 'unsubscribe'] as const)(
    'to %s opens a page with a button that changes nothing by itself and names no address',
    async (task) => {
      const { email, id, read } = await makeSubscription();
      const before = await read();

      const response = await fetch(makeUrl(task, id));
      const html = await response.text();

      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toBe('private, no-store');
      expect(response.headers.get('x-robots-tag')).toBe('noindex');
      expect(html).toContain('<meta name="robots" content="noindex"');
      expect(html).toMatch(new RegExp(`<button[^>]*>${tasks[task].button}</button>`));
      expect(html).not.toContain(email);
      expect(await read()).toEqual(before);
    },
  );

  test('confirms once and for all, and reverts unsubscribing', async () => {
    const { id, read } = await makeSubscription({ unsubscribed_at: yesterday });
    const url = makeUrl('confirm', id);

    const first = await fetch(url, { method: 'POST' });
    const confirmed = await read();
    const second = await fetch(url, { method: 'POST' });

    expect([first.status, second.status]).toEqual([200, 200]);
    expect(await second.text()).toContain(tasks.confirm.done);
    expect(confirmed).toMatchObject({ confirmed_at: expect.any(Date), unsubscribed_at: null });
    expect(await read()).toEqual(confirmed);
    expect(await (await fetch(url)).text()).toContain(tasks.confirm.done);
  });

  test('to confirm is invalid once its reader has unsubscribed', async () => {
    const { id, read } = await makeSubscription({ confirmed_at: yesterday });
    const confirmUrl = makeUrl('confirm', id);
    // The token has the second of its creation.
    await waitFor('the next second', () => Date.now() / 1_000 >= Math.floor(readMadeAt(confirmUrl)) + 1);
    await fetch(makeUrl('unsubscribe', id), { method: 'POST' });
    const left = await read();

    expect((await fetch(confirmUrl)).status).toBe(404);
    expect((await fetch(confirmUrl, { method: 'POST' })).status).toBe(404);
    expect(await read()).toEqual(left);
  });

  test('unsubscribes once and for all, also by the one click of a mail program', async () => {
    const { id, read } = await makeSubscription({ confirmed_at: yesterday });
    const url = makeUrl('unsubscribe', id);

    const first = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
      redirect: 'error',
    });
    const left = await read();
    const second = await fetch(url, { method: 'POST' });

    expect([first.status, second.status]).toEqual([200, 200]);
    expect(await first.text()).toContain(tasks.unsubscribe.done);
    expect(left).toMatchObject({
      confirmed_at: expect.any(Date),
      unsubscribed_at: expect.any(Date),
    });
    expect(await read()).toEqual(left);
  });

  test('that is forged, for another purpose, too old, or of nobody is not found', async () => {
    const { id, read } = await makeSubscription();
    const before = await read();
    const sign = (purpose: LinkPurpose, ...rest: [string, string[], number?]) =>
      signLinkToken(purpose, ...rest);
    const good = [COOKIE_SECRET];

    for (const path of [
      pathTo.newsletterConfirmation(sign('newsletter-confirm', id, ['x'.repeat(32)])),
      pathTo.newsletterConfirmation(sign('newsletter-unsubscribe', id, good)),
      pathTo.newsletterConfirmation(sign('newsletter-confirm', id, good, Date.now() - 31 * Day)),
      pathTo.newsletterConfirmation(sign('newsletter-confirm', randomUUID(), good)),
      pathTo.newsletterUnsubscription(sign('newsletter-confirm', id, good)),
      pathTo.newsletterUnsubscription(sign('follow-up', id, good)),
      pathTo.newsletterUnsubscription('nonsense'),
      pathTo.followUp(sign('newsletter-confirm', id, good)),
    ]) {
      for (const method of ['GET', 'POST']) {
        expect([path, (await fetch(web.origin + path, { method })).status]).toEqual([path, 404]);
      }
    }
    expect(await read()).toEqual(before);
  });

  test('to unsubscribe works after years', async () => {
    const { id, read } = await makeSubscription({ confirmed_at: yesterday });
    const token = signLinkToken('newsletter-unsubscribe', id, [COOKIE_SECRET], Date.now() - 999 * Day);

    await fetch(web.origin + pathTo.newsletterUnsubscription(token), { method: 'POST' });

    expect(await read()).toMatchObject({ unsubscribed_at: expect.any(Date) });
  });
});

test('no log of the web process names an address or a token', async () => {
  const { email, id } = await makeSubscription();
  const token = signLinkToken('newsletter-confirm', id, [COOKIE_SECRET]);
  await post(email);
  await fetch(web.origin + pathTo.newsletterConfirmation(token), { method: 'POST' });

  await waitFor('the log', () => web.output().includes('/newsletter/confirm/:token'));
  expect(web.output()).not.toContain('@example.org');
  expect(web.output()).not.toContain(token);
});

describe('the mail that asks to confirm', () => {
  const senders = {
    ...settings,
    SITE_NAME: 'The Site',
    MAIL_FROM: 'The Site <site@example.com>',
    SALES_EMAIL: 'sales@example.com',
  };

  test.each([['with'], ['without']])('goes out once, to the subscriber only, %s Redis', async (way) => {
    const fixture = await setUpDeliveries(senders);
    const { database, sink } = fixture;
    const own = way === 'with' ? fixture.settings : { ...fixture.settings, REDIS_URL: '' };
    const site = await openWeb(own);
    const worker = await openWorker({ ...own, PUBLIC_URL: site.origin });
    const email = makeEmail();

    expect((await post(email, makeClient(), site.origin)).status).toBe(202);
    await untilSent(database, 1);

    const [received, ...others] = sink.received;
    const delivery = await database('deliveries').first();
    expect(others).toEqual([]);
    expect(received?.mail.subject).toBe('[The Site] Please confirm your subscription');
    expect(received?.mail.from).toMatchObject({ address: 'site@example.com' });
    expect(received?.mail.to).toEqual([{ name: '', address: email }]);
    expect(received?.mail.cc).toBeUndefined();
    expect(received?.mail.replyTo).toBeUndefined();
    expect(received?.mail.messageId).toBe(`<newsletter-${delivery?.id}@example.com>`);

    const text = received?.mail.text ?? '';
    const confirmUrl = /^Confirm your subscription: (\S+)$/m.exec(text)?.[1] ?? '';
    const unsubscribeUrl = /^Unsubscribe: (\S+)$/m.exec(text)?.[1] ?? '';
    expect(received?.header('List-Unsubscribe')).toBe(`<${unsubscribeUrl}>`);
    expect(received?.header('List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
    expect(received?.mail.html).toContain(`href="${confirmUrl}"`);
    expect(received?.mail.html).toContain(`href="${unsubscribeUrl}"`);

    await fetch(confirmUrl, { method: 'POST' });
    expect(await database('newsletter_subscriptions').first()).toMatchObject({
      confirmed_at: expect.any(Date),
      unsubscribed_at: null,
    });
    await fetch(unsubscribeUrl, { method: 'POST' });
    expect(await database('newsletter_subscriptions').first()).toMatchObject({
      unsubscribed_at: expect.any(Date),
    });
    expect(site.output() + worker.output()).not.toContain(email);
  });

  test('waits in the queue as its delivery’s id and nothing else', async () => {
    const { settings: own, database, redis } = await setUpDeliveries(senders);
    const site = await openWeb(own);

    await post(makeEmail(), makeClient(), site.origin);

    const delivery = await database('deliveries').first('id');
    const key = `bull:newsletter:delivery-${delivery?.id}`;
    const data = await waitFor('the job', async () => {
      const found = await redis.command('HGET', key, 'data');

      return typeof found === 'string' && found;
    });
    expect(JSON.parse(data)).toEqual({ deliveryId: delivery?.id });
  });

  test('is sent by the sweep while Redis is down', async () => {
    const { settings: own, database, redis, sink } = await setUpDeliveries(senders);
    const site = await openWeb(own);
    await openWorker(own);
    await redis.kill();

    expect((await post(makeEmail(), makeClient(), site.origin)).status).toBe(202);
    await untilSent(database, 1);

    expect(sink.received).toHaveLength(1);
  });

  test.each([
    ['confirmed', { confirmed_at: today }, 'cancelled'],
    ['confirmed and left', { confirmed_at: yesterday, unsubscribed_at: today }, 'sent'],
  ])('to a subscription that was %s meanwhile', async (_what, change, state) => {
    const { settings: own, database, sink } = await setUpDeliveries(senders);
    const site = await openWeb(own);
    await post(makeEmail(), makeClient(), site.origin);
    await database('newsletter_subscriptions').update(change);

    await openWorker(own);
    await waitFor('its end', async () => {
      const delivery = await database('deliveries').first('state');

      return delivery?.state === state;
    });

    expect(sink.received).toHaveLength(state === 'sent' ? 1 : 0);
  });

  test('that is refused permanently is cancelled, raises no alert and names its recipient in no log', async () => {
    const { settings: own, database, sink } = await setUpDeliveries(senders);
    const site = await openWeb(own);
    // On a busy machine the mail may be late, which is another alert.
    const worker = await openWorker({ ...own, WORKER_TIMINGS: JSON.stringify({ alertAfter: 1 * Hour }) });
    sink.faults.push({ kind: 'refuse', code: 450 }, { kind: 'refuse', code: 550 });
    const email = makeEmail();

    await post(email, makeClient(), site.origin);
    await waitFor('both refusals', () => worker.output().includes('smtp-550'));

    await expect.poll(worker.output, { timeout: 10_000 }).toContain('smtp-450');
    await waitFor('the end of the delivery', async () => {
      const delivery = await database('deliveries').first();

      return delivery?.state === 'cancelled';
    });
    expect(worker.output()).not.toContain('"alert"');
    expect(worker.output()).not.toContain(email);
  });
});
