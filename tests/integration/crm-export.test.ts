import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { setUpDeliveries, startWeb, startWorker } from '../support/delivery-bench.ts';
import { waitFor } from '../support/wait-for.ts';

/** A CRM that takes every call and answers none; tells how many it has taken. */
async function startSilentCrm() {
  let calls = 0;
  const server = createServer(() => {
    calls += 1;
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    countCalls: () => calls,
  };
}

const REQUESTS = 8;

async function setUpSilentCrm() {
  const crm = await startSilentCrm();
  const bench = await setUpDeliveries({
    CRM_PROVIDER: 'webhook',
    CRM_WEBHOOK_URL: crm.url,
    CRM_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    OUTBOUND_ALLOW: '127.0.0.1',
    FOLLOW_UP_REMINDER_AFTER: '1h',
    FOLLOW_UP_AFTER: '2h',
  });

  return { ...bench, crm };
}

describe('a CRM that never answers', () => {
  test('holds up no mail', async () => {
    const { settings, sink, crm, database } = await setUpSilentCrm();
    const web = await startWeb(settings);
    await startWorker(settings);

    for (let count = 0; count < REQUESTS; count += 1) await postContact(web.origin, makeContactBody());
    await waitFor('all mails', () => sink.received.length === REQUESTS, 10_000);

    await waitFor('a failed export', async () => {
      const row = await database('deliveries').whereNotNull('last_error').first();

      return row?.last_error === 'http-timed-out' || row?.last_error === 'timed-out';
    });
    expect(crm.countCalls()).toBeGreaterThan(0);
  });

  test('holds up no mail while Redis is away either', async () => {
    const { settings, sink, redis } = await setUpSilentCrm();
    const web = await startWeb(settings);
    await redis.kill();

    for (let count = 0; count < REQUESTS; count += 1) await postContact(web.origin, makeContactBody());
    await startWorker(settings);
    await waitFor('all mails', () => sink.received.length === REQUESTS, 15_000);

    expect(new Set(sink.received.map(({ mail }) => mail.messageId)).size).toBe(REQUESTS);
  });
});
