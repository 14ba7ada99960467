import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { Second } from '../../../shared/time.ts';
import { makeDelivery } from './crm-export.ts';
import { openRecordedCrm, type Recording } from './recorded-crm.ts';
import { makeSampleLead } from './sample-lead.ts';

const key = Buffer.alloc(32, 7);
const secret = `whsec_${key.toString('base64')}`;
const webhook: Recording = {
  settings: { provider: 'webhook', url: 'https://hook.example/leads?from=site', secret },
  secret,
  id: 'lead_0198b7f0-6a3c-7c1e-9d52-3f0a6c1d2e4c',
  checks: ['receiver'],
  exchanges: [{ call: 'POST /leads?from=site', record: 'lead', effect: 'create', answer: [204] }],
};

/** A receiver that accepts any event. */
const openReceiver = () => openRecordedCrm(webhook, { acceptsAnyLead: true });

/** Signs a request with node:crypto according to the Standard Webhooks specification 1.0. */
function sign({ body, headers }: ReturnType<typeof openReceiver>['requests'][number]) {
  const { 'webhook-id': id, 'webhook-timestamp': seconds } = headers as Record<string, string>;

  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${JSON.stringify(body)}`).digest('base64')}`;
}

describe('an export by webhook', () => {
  test('is one signed event with every field of the lead', async () => {
    const { provider, requests } = openReceiver();

    expect(await makeDelivery({ provider }).tryExport(1)).toBe(webhook.id);

    const [request, ...others] = requests;
    if (!request) throw new Error('Nothing was sent.');
    expect(others).toEqual([]);
    expect(request.body).toEqual({
      type: 'lead.created',
      timestamp: makeSampleLead().received_at,
      data: makeSampleLead(),
    });
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': webhook.id,
      'webhook-signature': sign(request),
    });
    const { 'webhook-timestamp': seconds } = request.headers as Record<string, string>;
    expect(Math.abs(Number(seconds) * Second - Date.now())).toBeLessThan(60 * Second);
  });

  test('is sent again with the same id if its response is lost', async () => {
    const { provider, requests, answerOnce } = openReceiver();
    const { tryExport, failExport } = makeDelivery({ provider });
    answerOnce(/./, [502, '<html>'], true);

    expect(await failExport(1)).toMatchObject({ result: 'retry' });
    expect(await tryExport(2)).toBe(webhook.id);

    const ids = requests.map(({ headers }) => (headers as Record<string, string>)['webhook-id']);
    expect(ids).toEqual([webhook.id, webhook.id]);
  });

  test('counts as delivered if the receiver reports that it already has the event', async () => {
    const { provider, answerOnce } = openReceiver();
    answerOnce(/./, [409]);

    expect(await makeDelivery({ provider }).tryExport(2)).toBe(webhook.id);
  });

  test.each([
    [408, 'retry'],
    [429, 'retry'],
    [404, 'retry'],
    [401, 'paused'],
    [410, 'paused'],
    [400, 'dead'],
    [422, 'dead'],
  ])('that is refused with %i is classified as %s, and its error contains none of the lead’s data', async (status, result) => {
    const { provider, answerOnce } = openReceiver();
    answerOnce(/./, [status, makeSampleLead()]);

    expect(await makeDelivery({ provider }).failExport(1)).toMatchObject({ result, reason: `webhook-${status}` });
  });
});

test('crm test sends a signed test event to a webhook, not a lead', async () => {
  const { provider, requests } = openReceiver();

  const results = await provider.test(new AbortController().signal);

  expect(results).toEqual([{ check: 'receiver', state: 'ok', detail: 'It accepted a signed test event.' }]);
  expect(requests.map(({ body }) => body)).toMatchObject([{ type: 'endpoint.test', data: {} }]);
});
