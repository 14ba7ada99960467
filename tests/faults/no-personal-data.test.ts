import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { apiPaths } from '../../shared/paths.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { countStates, setUpDeliveries, startWeb, startWorker } from '../support/delivery-fixture.ts';
import { startLocalServer } from '../support/local-server.ts';
import { scrape, withMetrics } from '../support/metrics.ts';
import { sendText } from '../support/raw-http.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { waitFor } from '../support/wait-for.ts';

/** A visitor's input. Neither this nor the secrets in the settings may appear outside the tables. */
const visitor = {
  name: 'Nightingale Canaryname',
  email: 'canary.address@example.org',
  company: 'Quill Canarycompany',
  phone: '+1 555 019 9777',
  message: 'canarymessage',
};
/** The visit's source, which may also name a person. */
const source = { utm_source: 'canarysource', landing_path: '/canarylanding' };
const subscriber = 'canary.subscriber@example.org';
const secrets = {
  COOKIE_SECRET: `canarycookie${'s'.repeat(32)}`,
  INSIGHTS_PASSWORD: 'canarypassword',
  CRM_WEBHOOK_SECRET: `whsec_${Buffer.from('canarykey'.repeat(4)).toString('base64')}`,
};
const triedPassword = 'canarytriedpassword';
const canaryAddress = '203.0.113.77';

/** Returns a string unchanged, in lower case, URL-encoded, as JSON and in Base64. */
function listForms(canary: string): string[] {
  const forms = [canary, canary.toLowerCase(), encodeURIComponent(canary), JSON.stringify(canary)];

  return [...new Set([...forms, Buffer.from(canary).toString('base64').replace(/=+$/, '')])];
}

/** A CRM or chat server that refuses a request and echoes its body, as many do. */
async function startEchoingReceiver(): Promise<string> {
  const origin = await startLocalServer((request, response) => {
    void text(request).then((body) => {
      response.writeHead(422, { 'content-type': 'application/json' }).end(body);
    });
  });

  return `${origin}/canarypath`;
}

/** Returns all keys and values in Redis, of every type. */
async function dumpRedis(redis: RedisServer): Promise<string> {
  const commands: Readonly<Record<string, readonly string[]>> = {
    string: ['GET'],
    hash: ['HGETALL'],
    list: ['LRANGE', '0', '-1'],
    zset: ['ZRANGE', '0', '-1'],
    set: ['SMEMBERS'],
    stream: ['XRANGE', '-', '+'],
  };
  const keys = (await redis.command('KEYS', '*')) as string[];
  const values = await Promise.all(
    keys.map(async (key) => {
      const [name = 'GET', ...rest] = commands[String(await redis.command('TYPE', key))] ?? [];

      return redis.command(name, key, ...rest);
    }),
  );

  return JSON.stringify([keys, values]);
}

const postJson = (url: string, body: object, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

/** Sends every kind of request that visitors can send, including requests that are refused. */
async function visit(origin: string): Promise<void> {
  const body = makeContactBody({ ...visitor, source });
  await postContact(origin, body);
  await postContact(origin, body);
  await postContact(origin, makeContactBody({ ...visitor, spam: { honeypot: visitor.company } }));
  await postContact(origin, { ...body, message: `${visitor.message} again` });
  await postContact(origin, makeContactBody({ ...visitor, email: `${visitor.email}@` }));
  await postContact(origin, makeContactBody({ ...visitor, message: `\u0000${visitor.message}` }));
  await fetch(`${origin}${apiPaths.contactSubmissions}?email=${visitor.email}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"name": "${visitor.name}"`,
  });
  await fetch(`${origin}/contact`, { method: 'POST', body: new URLSearchParams(visitor) });
  await fetch(`${origin}/insights?q=${encodeURIComponent(visitor.name)}`);
  await postJson(origin + apiPaths.newsletterSubscriptions, { email: subscriber });
  await postJson(origin + apiPaths.insightsSession, { password: triedPassword });
  await postJson(origin + apiPaths.contactSubmissions, body, { origin: 'https://elsewhere.example' });
  await fetch(`${origin}/${encodeURIComponent(visitor.company)}`);
  await postJson(origin + apiPaths.contactSubmissions, makeContactBody(visitor), {
    'user-agent': visitor.name,
    referer: `${origin}/?email=${visitor.email}`,
    cookie: `canary=${visitor.message}`,
    'x-forwarded-for': canaryAddress,
  });
  // These are refused before they are parsed or routed: a wrong host, no host, invalid HTTP, and overlong headers.
  for (const request of [
    `GET http://elsewhere.example/${visitor.message} HTTP/1.1\r\nHost: localhost\r\nConnection: close`,
    `GET /contact?email=${visitor.email} HTTP/1.1\r\nConnection: close`,
    `${visitor.message} ${visitor.email}`,
    `GET / HTTP/1.1\r\nHost: localhost\r\n${visitor.message}: ${visitor.email.repeat(1_000)}`,
  ]) {
    expect((await sendText(origin, `${request}\r\n\r\n`)).status).toBeGreaterThanOrEqual(400);
  }
}

test('logs, jobs, errors and metrics contain no secret and nothing that a visitor typed', async () => {
  const { settings, database, redis, sink } = await setUpDeliveries({
    ...secrets,
    TRUST_PROXY: '127.0.0.1',
    LOG_LEVEL: 'trace',
    CRM_PROVIDER: 'webhook',
    CRM_WEBHOOK_URL: await startEchoingReceiver(),
    CHAT_URL: await startEchoingReceiver(),
    OUTBOUND_ALLOW: '127.0.0.1',
    FOLLOW_UP_REMINDER_AFTER: '3s',
    FOLLOW_UP_AFTER: '1h',
  });
  const [webListener, workerListener] = [await withMetrics(settings), await withMetrics(settings)];
  for (const code of [550, 451]) sink.faults.push({ kind: 'refuse', code });
  const web = await startWeb(webListener.settings);
  const worker = await startWorker(workerListener.settings);

  const findStaged = () => sink.received.find(({ header }) => header('X-Delivery-Stage'));

  await visit(web.origin);
  await waitFor('sent and refused mails, and the refused exports and chat messages', async () => {
    const states = await countStates(database);

    return findStaged() && (states['sent'] ?? 0) >= 2 && (states['dead'] ?? 0) >= 5;
  });
  const link = /\/follow-up\/\S+/.exec(findStaged()?.mail.text ?? '')?.[0] ?? '';
  await fetch(web.origin + link);
  await fetch(web.origin + link, { method: 'POST' });
  await waitFor('the alert, which is recorded a second later', async () =>
    JSON.stringify(await database('alerts').select()).includes('delivery-dead'),
  );
  const metrics = await Promise.all([webListener, workerListener].map(({ origin }) => scrape(origin)));
  const places = {
    'the log of web': web.output(),
    'the log of the worker': worker.output(),
    'Redis': await dumpRedis(redis),
    'the outbox': JSON.stringify(await database('deliveries').select()),
    'the alerts': JSON.stringify(await database('alerts').select()),
    'the metrics': metrics.map((each) => each.text).join('\n'),
  };

  expect(link).not.toBe('');
  await expect.poll(worker.output, { timeout: 10_000 }).toContain('smtp-550');
  await expect.poll(worker.output, { timeout: 10_000 }).toContain('webhook-422');
  await expect.poll(worker.output, { timeout: 10_000 }).toContain('chat-json-422');
  expect(places['Redis']).toContain('delivery-');
  expect(places['the alerts']).toContain('delivery-dead');
  // Redis stores addresses for a few minutes, because the limits count requests per address.
  expect(places['the log of web']).not.toContain(canaryAddress);
  const token = link.split('/').at(-1) ?? '';
  for (const canary of [
    ...Object.values(visitor),
    ...Object.values(source),
    subscriber,
    triedPassword,
    ...Object.values(secrets),
    'canarypath',
    token,
  ]) {
    for (const form of listForms(canary)) {
      for (const [place, content] of Object.entries(places)) {
        expect(content.includes(form), `${form} in ${place}`).toBe(false);
      }
    }
  }
});
