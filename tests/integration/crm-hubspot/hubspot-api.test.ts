import { describe, expect, test } from 'vitest';
import { respondWith } from '../../support/crm/crm-export.ts';
import { onCreate, setUp } from './hubspot-account.ts';

describe('an export to HubSpot', () => {
  test('is dead when HubSpot refuses a value', async () => {
    const { crm, startDelivery } = await setUp();
    const problem = { category: 'VALIDATION_ERROR', errors: [{ code: 'INVALID_LENGTH' }] };
    crm.faults.push({ on: onCreate, ...respondWith(400, problem) });

    const failure = await startDelivery().fail(1);

    expect(failure).toMatchObject({ name: 'CrmError' });
    expect(failure).toMatchObject({
      result: 'dead',
      reason: 'hubspot-400-VALIDATION_ERROR-INVALID_LENGTH',
    });
  });

  test.each([
    ['VALIDATION_ERROR', 'PROPERTY_DOESNT_EXIST', 'dead', 'hubspot-400-VALIDATION_ERROR-PROPERTY_DOESNT_EXIST'],
    ['MISSING_SCOPES', undefined, 'paused', 'hubspot-403-MISSING_SCOPES'],
    ['CONFLICT', undefined, 'retry', 'hubspot-409-CONFLICT'],
    ['RATE_LIMITS', undefined, 'retry', 'hubspot-429-RATE_LIMITS'],
    ['SOMETHING_NEW', undefined, 'retry', 'hubspot-500-SOMETHING_NEW'],
  ])('takes the result of an input refused inside an accepted batch from %s', async (category, code, result, reason) => {
    const { crm, startDelivery } = await setUp();
    const message = 'ada@example.org is wrong';
    const errors = [{ status: 'error', category, message, errors: code ? [{ code, message }] : [] }];
    crm.faults.push(respondWith(207, { status: 'COMPLETE', results: [], numErrors: 1, errors }));

    expect(await startDelivery().fail(1)).toMatchObject({ result, reason });
  });

  test('has only codes in its reason', async () => {
    const { crm, startDelivery } = await setUp();
    const errors = [{ code: 'Ada Lovelace', message: 'ada@example.org' }];
    crm.faults.push(respondWith(400, { category: 'ada@example.org', errors }));

    expect(await startDelivery().fail(1)).toMatchObject({ result: 'dead', reason: 'hubspot-400' });
  });

  test('retries when another was creating the same contact', async () => {
    const { crm, startDelivery } = await setUp();
    crm.faults.push({ on: onCreate, ...respondWith(409, { category: 'CONFLICT', message: 'Contact already exists.' }) });

    expect(await startDelivery().fail(1)).toMatchObject({ result: 'retry' });
  });

  test.each([
    [{ 'retry-after': '7' }, {}, 7_000],
    [{}, { policyName: 'TEN_SECONDLY_ROLLING' }, 10_000],
    [{}, { policyName: 'DAILY' }, 3_600_000],
  ])('waits at a limit as long as HubSpot says (%j %j)', async (headers, body, kindWaitsMs) => {
    const { crm, startDelivery } = await setUp();
    crm.faults.push(respondWith(429, { category: 'RATE_LIMITS', ...body }, headers));

    expect(await startDelivery().fail(1)).toMatchObject({ result: 'retry', kindWaitsMs });
  });

  test.each([
    [{ 'retry-after': '7200' }, 7_200_000],
    [{}, 3_600_000],
  ])('waits while HubSpot moves the account to another data center (%j)', async (headers, kindWaitsMs) => {
    const { crm, startDelivery, testIt } = await setUp();
    const moving = respondWith(477, { status: 'error' }, headers);
    crm.faults.push(moving, moving);

    expect(await startDelivery().fail(1)).toMatchObject({ result: 'retry', reason: 'hubspot-477', kindWaitsMs });
    expect(await testIt()).toMatchObject([{ check: 'limits', state: 'fail', isLimit: true }]);
  });

  test('respects the account’s own limit', async () => {
    const { startDelivery } = await setUp({ rateLimit: { calls: 1, windowMs: 60_000 } });

    expect(await startDelivery().fail(1)).toMatchObject({
      result: 'retry',
      reason: 'hubspot-429-RATE_LIMITS-TEN_SECONDLY_ROLLING',
      kindWaitsMs: 10_000,
    });
  });

  test.each([
    [{ token: 'pat-wrong' }, 'hubspot-401-INVALID_AUTHENTICATION'],
    [{ scopes: ['crm.objects.contacts.read'] }, 'hubspot-403-MISSING_SCOPES'],
  ])('pauses all exports while the rights are wrong (%j)', async (setting, reason) => {
    const { startDelivery } = await setUp(setting);

    expect(await startDelivery().fail(1)).toMatchObject({ result: 'paused', reason });
  });

  test.each([
    [{ kind: 'response', status: 410 }, 'paused', 'hubspot-410'],
    [{ kind: 'redirect', to: 'http://127.0.0.1:1/' }, 'paused', 'http-redirect'],
  ] as const)('refuses a response that can’t be right (%j)', async (fault, result, reason) => {
    const { crm, startDelivery } = await setUp();
    crm.faults.push(fault);

    expect(await startDelivery().fail(1)).toMatchObject({ result, reason });
    expect(crm.requests).toHaveLength(1);
  });

  test('does not wait for a response that drips', async () => {
    const { crm, startDelivery } = await setUp();
    crm.faults.push({ kind: 'drip' });

    const failure = await startDelivery().failOnce(1, 'the call', () => crm.requests.length === 1);

    expect(failure).toMatchObject({ result: 'retry', reason: 'http-timed-out' });
  });
});
