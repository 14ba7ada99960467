import type { ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createChatHandler } from '../../jobs/chat/announce-request.ts';
import { checkReceivers } from '../../ops/doctor/check-receivers.ts';
import { mapKinds } from '../../shared/deliveries/delivery.ts';
import { subscribeToAlerts } from '../../shared/node/logging/raised-alerts.ts';
import { loadConfig } from '../../shared/node/config/config.ts';
import { productionTimings } from '../../shared/node/config/timings.ts';
import { readLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { createResponsePromise } from '../../shared/node/response-promise/response-promise.ts';
import { Hour } from '../../shared/time.ts';
import { buildTestApp } from '../support/build-test-app.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { openClient } from './crm/crm-export.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { runJob, unobserved } from '../support/delivery-job.ts';
import { startLocalServer } from '../support/local-server.ts';
import { storeDelivery, storeSubmission } from '../support/ops-fixture.ts';

const linkSecrets = ['s'.repeat(32)];

let databaseUrl: string;

beforeAll(async () => {
  databaseUrl = await createMigratedDatabase();
});

/** Starts a chat server that responds with `answer` and records its posts. */
async function startChat(answer: (response: ServerResponse) => void = (response) => response.end('ok')) {
  const posts: Array<Record<string, unknown>> = [];
  const origin = await startLocalServer((request, response) => {
    void json(request)
      .catch(() => ({}))
      .then((body) => {
        posts.push(body as Record<string, unknown>);
        answer(response);
      });
  });

  return { url: `${origin}/secret-path`, posts };
}

/** Sets up a request, its announcement and a worker that posts to the chat. */
async function setUp(settings: Record<string, string> = {}, changes: Record<string, unknown> = {}) {
  const database = openDatabase(databaseUrl, onTestFinished);
  await database('delivery_pauses').delete();
  const submissionId = await storeSubmission(database, changes);
  const id = await storeDelivery(database, submissionId, { kind: 'chat', stage: null });
  const { chat } = loadConfig({ DATABASE_URL: databaseUrl, ...settings });
  const never = () => Promise.reject(new Error('No announcement.'));
  const services = {
    ...unobserved,
    database,
    handlers: {
      ...mapKinds(() => never),
      chat: createChatHandler(database, chat, openClient(), {
        siteName: 'Praline',
        publicUrl: 'https://www.example.com',
        linkSecrets,
        timeZone: 'Europe/Vienna',
        promise: createResponsePromise({ reminderAfter: 20 * Hour, dueAfter: 24 * Hour }),
      }),
    },
    timings: productionTimings,
  };

  return {
    database,
    submissionId,
    read: () => database('deliveries').where({ id }).first(),
    /** Makes one attempt without waiting for the back-off. */
    announce: async () => {
      await database('deliveries').where({ id }).update({ retry_at: null });
      await runJob(services, { deliveryId: id });
    },
  };
}

test('web plans an announcement for each request that is not held, and needs only CHAT_URL’s origin', async () => {
  const app = await buildTestApp({ CHAT_URL: 'https://hooks.slack.com' });
  onTestFinished(app.close);
  const [body, held] = [makeContactBody(), makeContactBody({ spam: { honeypot: 'filled in' } })];

  await postContact(app, body);
  await postContact(app, held);

  const rows = await app.database('deliveries').where({ kind: 'chat' });
  expect(rows).toMatchObject([{ submission_id: body.id, stage: null, state: 'pending' }]);
});

describe('an announcement', () => {
  test('contains the company, the industry, the promised time and the signed action link, but no other visitor data', async () => {
    const { url, posts } = await startChat();
    const { announce, read, submissionId } = await setUp(
      { CHAT_URL: url, CHAT_FORMAT: 'slack' },
      { company: 'Sweets <!channel> & @all\n*evil.example*', received_at: '2026-01-05T09:00:00Z' },
    );

    await announce();

    expect(await read()).toMatchObject({ state: 'sent', attempts: 1 });
    const [, link = ''] = /<https:\/\/www\.example\.com\/follow-up\/([^|]+)\|Open the request>$/.exec(String(posts[0]?.['text'])) ?? [];
    expect(readLinkToken('follow-up', link, linkSecrets)).toBe(submissionId);
    expect(posts).toEqual([
      {
        text: [
          '[Praline] New assessment request',
          'Company: Sweets &lt;!channel&gt; &amp; @\u200ball *evil[.]example*',
          'Industry: Manufacturing',
          'Answer by: Tuesday, January 6, 2026 at 10:00 AM GMT+1 (Europe/Vienna)',
          `<https://www.example.com/follow-up/${link}|Open the request>`,
        ].join('\n'),
        unfurl_links: false,
      },
    ]);
  });

  test.each([
    [429, { 'retry-after': '120' }, { state: 'pending' }, [{ kind: 'chat', ends_with_restart: false }]],
    [503, {}, { state: 'pending' }, []],
    // A firewall may have blocked this announcement because of a word in it.
    [403, {}, { state: 'pending' }, []],
    [404, {}, { state: 'dead' }, []],
  ])('that gets a %i is retried or becomes dead, and only Retry-After delays the other announcements', async (status, headers, row, pauses) => {
    const { url } = await startChat((response) => response.writeHead(status, headers).end('no_service'));
    const { database, announce, read } = await setUp({ CHAT_URL: url });
    const alerts: string[] = [];
    onTestFinished(subscribeToAlerts(({ name }) => alerts.push(name)));

    await announce();

    expect(await read()).toMatchObject({ ...row, last_error: `chat-json-${status}`, maybe_duplicate: false });
    expect(await database('delivery_pauses')).toMatchObject(pauses);
    expect(alerts).toEqual(row.state === 'dead' ? ['delivery-dead'] : []);
  });

  test('is cancelled if CHAT_URL was removed', async () => {
    const { announce, read } = await setUp();

    await announce();

    expect(await read()).toMatchObject({ state: 'cancelled', last_error: 'chat-switched-off' });
  });
});

test('the doctor reports whether CHAT_URL and ALERT_URL are reachable, without posting or showing the secret', async () => {
  const { url, posts } = await startChat();
  const run = async (settings: Record<string, string>) => {
    const results = checkReceivers(loadConfig({ DATABASE_URL: databaseUrl, ...settings })).map((check) => check.run());

    return (await Promise.all(results)).flat();
  };

  expect(await run({})).toEqual([]);
  expect(await run({ CHAT_URL: url, OUTBOUND_ALLOW: '127.0.0.1' })).toEqual([
    { state: 'ok', detail: 'json at 127.0.0.1 can be reached; `ops alerts test` posts a message.' },
  ]);
  expect(await run({ CHAT_URL: url })).toEqual([
    { state: 'fail', detail: expect.stringContaining('add it to OUTBOUND_ALLOW') as string },
  ]);
  expect(await run({ ALERT_URL: url, ALERT_EMAIL: 'ops@example.com' })).toEqual([
    { state: 'fail', detail: expect.stringMatching(/^json at 127\.0\.0\.1: .*OUTBOUND_ALLOW/) as string },
  ]);
  expect(posts).toEqual([{}]);
});
