import { createHmac } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { callCrm } from '../../support/crm/call-crm.ts';
import { startWebhookReceiver, type WebhookReceiverOptions } from '../../support/crm/webhook-receiver.ts';

/** Made once by hand from the specification. */
const vector = {
  secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
  body: '{"type":"lead.created","timestamp":"2026-09-21T13:33:20Z","data":{"id":"L1"}}',
  headers: {
    'webhook-id': 'msg_lead_0001',
    'webhook-timestamp': '1790000000',
    'webhook-signature': 'v1,FpAux9phGuiy9+lpEJHieXlVza0qtFac4yc2u/cEG8E=',
  },
};
const vectorTime = 1_790_000_000_000;

async function setUp(options: WebhookReceiverOptions = {}) {
  const receiver = await startWebhookReceiver({
    secret: vector.secret,
    now: () => vectorTime,
    ...options,
  });
  onTestFinished(() => receiver.close());
  const send = (headers: Record<string, string> = {}, body = vector.body) =>
    callCrm('POST', receiver.url, { ...vector.headers, ...headers }, body);

  return { receiver, send };
}

/** Headers that are in order for another id or body. */
function sign(id: string, body: string): Record<string, string> {
  const key = Buffer.from(vector.secret.slice('whsec_'.length), 'base64');
  const content = `${id}.${vector.headers['webhook-timestamp']}.${body}`;
  const signature = createHmac('sha256', key).update(content).digest('base64');

  return { 'webhook-id': id, 'webhook-signature': `v1,${signature}` };
}

test('A receiver takes what is signed as the specification’s vector, once however often it comes', async () => {
  const { receiver, send } = await setUp();

  expect((await send()).status).toBe(204);
  expect((await send()).status).toBe(204);

  expect(receiver.requests).toHaveLength(2);
  expect(receiver.received).toEqual([
    {
      id: 'msg_lead_0001',
      type: 'lead.created',
      timestamp: '2026-09-21T13:33:20Z',
      data: { id: 'L1' },
    },
  ]);
});

test('A receiver takes one good signature among others', async () => {
  const { send } = await setUp();
  const list = `v1,bm8= v1a,bm8= ${vector.headers['webhook-signature']}`;

  expect((await send({ 'webhook-signature': list })).status).toBe(204);
});

test.each([
  ['another body', {}, '{}', 401],
  ['another id', { 'webhook-id': 'msg_lead_0002' }, vector.body, 401],
  ['another time', { 'webhook-timestamp': '1790000001' }, vector.body, 401],
  ['a time that is none', { 'webhook-timestamp': 'now' }, vector.body, 400],
  ['a signature without its version', { 'webhook-signature': 'FpAux9' }, vector.body, 401],
  ['an id with a dot', sign('msg.1', vector.body), vector.body, 400],
  ['another content type', { 'content-type': 'text/plain' }, vector.body, 415],
  ['an unknown field', sign('msg_1', '{"kind":"x"}'), '{"kind":"x"}', 400],
])('A receiver refuses %s', async (_what, headers: Record<string, string>, body, status) => {
  const { receiver, send } = await setUp();

  expect((await send(headers, body)).status).toBe(status);
  expect(receiver.received).toEqual([]);
});

test.each(Object.keys(vector.headers))('A receiver misses %s', async (missing) => {
  const { receiver } = await setUp();
  const headers = Object.fromEntries(
    Object.entries(vector.headers).filter(([name]) => name !== missing),
  );

  expect((await callCrm('POST', receiver.url, headers, vector.body)).status).toBe(400);
});

test.each([-301, 301])('A receiver refuses a message %i seconds off its clock', async (seconds) => {
  const { send } = await setUp({ now: () => vectorTime + seconds * 1000 });

  expect((await send()).status).toBe(400);
});

test('A receiver responds as configured, and accepts nothing while it refuses', async () => {
  const { receiver, send } = await setUp();

  receiver.respond(429, { 'retry-after': '7' });
  const busy = await send();
  receiver.respond(410);
  const gone = await send();

  expect([busy.status, busy.headers.get('retry-after'), gone.status]).toEqual([429, '7', 410]);
  expect(receiver.received).toEqual([]);
  receiver.respond(200);
  expect((await send()).status).toBe(200);
  expect(receiver.received).toHaveLength(1);
});
