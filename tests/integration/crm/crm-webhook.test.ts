import { describe, expect, onTestFinished, test } from 'vitest';
import type { CrmRecord } from '../../../shared/node/crm/crm-provider.ts';
import { createWebhookProvider } from '../../../shared/node/crm/webhook-provider.ts';
import { ResponseError } from '../../../shared/node/outbound/delivery-error.ts';
import { makeDelivery, openClient } from './crm-export.ts';
import { makeSampleLead } from './sample-lead.ts';
import { startWebhookReceiver } from './webhook-receiver.ts';

interface Setting {
  /** Replaces the receiver's own. */
  readonly secret?: string;
  readonly path?: string;
}

async function setUp({ secret, path = '/leads?from=site' }: Setting = {}) {
  const receiver = await startWebhookReceiver();
  onTestFinished(() => receiver.close());
  const provider = createWebhookProvider(
    { provider: 'webhook', url: receiver.url + path, secret: secret ?? receiver.secret },
    openClient(),
  );

  return {
    receiver,
    startDelivery: (changes: Partial<CrmRecord> = {}) =>
      makeDelivery(provider, makeSampleLead(changes)),
    testIt: () => provider.test(new AbortController().signal),
  };
}

describe('an export by webhook', () => {
  test('arrives as one signed event with every field of the lead', async () => {
    const { receiver, startDelivery } = await setUp();

    const remoteId = await startDelivery().tryIt(1);

    const record = makeSampleLead();
    expect(receiver.received).toEqual([
      { id: remoteId, type: 'lead.created', timestamp: record.received_at, data: record },
    ]);
    expect(receiver.requests[0]?.path).toBe('/leads?from=site');
  });

  test.each(['hang-after', 'cut-after'] as const)(
    'whose response is lost (%s) is sent again under the same id, so that it counts once',
    async (kind) => {
      const { receiver, startDelivery } = await setUp();
      const { tryIt } = startDelivery();
      receiver.lostResponses.push(kind);

      await expect(tryIt(1)).rejects.toMatchObject({ result: 'retry' });
      await tryIt(2);

      expect(receiver.requests).toHaveLength(2);
      expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      expect(receiver.received).toHaveLength(1);
    },
  );

  test('is delivered when the receiver reports that it already has it', async () => {
    const { receiver, startDelivery } = await setUp();
    receiver.respond(409);

    expect(await startDelivery().tryIt(2)).toMatch(/^lead_/);
  });

  test.each([
    [500, 'retry'],
    [429, 'retry'],
    [404, 'retry'],
    [401, 'paused'],
    [403, 'paused'],
    [410, 'paused'],
    [400, 'dead'],
    [413, 'dead'],
    [422, 'dead'],
  ])('with the response %i ends as %s', async (status, result) => {
    const { receiver, startDelivery } = await setUp();
    receiver.respond(status);

    const error = await startDelivery().tryIt(1).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(ResponseError);
    expect(error).toMatchObject({ result, reason: `webhook-${status}` });
  });

  test('repeats none of the lead’s data in its errors', async () => {
    const { receiver, startDelivery } = await setUp();
    const { name, email, message } = makeSampleLead();
    receiver.respond(422, JSON.stringify({ name, email, message }));

    // `fail` searches the error for the lead.
    expect((await startDelivery().fail(1)).reason).toBe('webhook-422');
  });
});

describe('crm test of a webhook', () => {
  test('sends a signed test event, not a lead', async () => {
    const { receiver, testIt } = await setUp();

    expect(await testIt()).toEqual([
      { check: 'receiver', state: 'ok', detail: 'It accepted a signed test event.' },
    ]);
    expect(receiver.received).toMatchObject([{ type: 'endpoint.test', data: {} }]);
  });
});
