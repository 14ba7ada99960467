import { describe, expect, test } from 'vitest';
import { respondWith } from '../../support/crm/crm-export.ts';
import { setUp } from './hubspot-account.ts';

describe('the test of HubSpot', () => {
  test('passes without writing anything', async () => {
    const { crm, testIt } = await setUp();

    const results = await testIt();

    expect(results.map(({ check, state }) => [check, state])).toEqual([
      ['credentials', 'ok'],
      ['scopes', 'ok'],
      ['fields', 'ok'],
    ]);
    expect(crm.contacts.size).toBe(0);
    expect(JSON.stringify(results)).not.toContain(crm.token);
  });

  test.each([
    [{ token: 'pat-wrong' }, 'credentials', /HUBSPOT_TOKEN.*401-INVALID_AUTHENTICATION/],
    [{ scopes: ['crm.objects.contacts.read'] }, 'scopes', /lacks crm\.objects\.contacts\.write;/],
    [{ scopes: [] }, 'rights', /contacts\.read and crm\.objects\.contacts\.write/],
    [{ rateLimit: { calls: 1, windowMs: 60_000 } }, 'limits', /429/],
    [{ path: '/wrong' }, 'address', /HUBSPOT_BASE_URL.*404/],
  ])('reports what is wrong with %j', async (setting, check, detail) => {
    const { testIt } = await setUp(setting);

    expect((await testIt()).filter(({ state }) => state !== 'ok')).toMatchObject([
      { check, state: 'fail', detail: expect.stringMatching(detail) },
    ]);
  });

  test('names the properties that are missing', async () => {
    const { crm, testIt } = await setUp();
    const results = ['email', 'firstname', 'lastname'].map((name) => ({ name }));
    crm.faults.push({ ...respondWith(200, { results }), on: /properties/ });

    expect((await testIt()).at(-1)).toMatchObject({
      check: 'fields',
      state: 'fail',
      detail: expect.stringContaining('no property company, phone'),
    });
  });

  test('reads as many properties as a real account has', async () => {
    const { testIt } = await setUp({
      customProperties: Array.from({ length: 2_000 }, (_, index) => `custom_property_${index}`),
    });

    expect((await testIt()).at(-1)).toMatchObject({ check: 'fields', state: 'ok' });
  });

  test('leaves open what the token may do when HubSpot doesn’t list scopes', async () => {
    const { crm, testIt } = await setUp();
    crm.faults.push({ ...respondWith(404, {}), on: /access-token-info/ });

    expect((await testIt())[1]).toMatchObject({
      check: 'scopes',
      state: 'ok',
      detail: expect.stringContaining('doesn’t say'),
    });
  });

  test('reports that contacts can’t be read when only that shows it', async () => {
    const { crm, testIt } = await setUp({ scopes: [] });
    crm.faults.push({ ...respondWith(404, {}), on: /access-token-info/ });

    expect((await testIt()).at(-1)).toMatchObject({
      check: 'rights',
      state: 'fail',
      detail: expect.stringContaining('403-MISSING_SCOPES'),
    });
  });

  test.each([
    [{ kind: 'malformed' }, /not HubSpot/],
    [{ kind: 'redirect', to: 'http://127.0.0.1:1/' }, /redirect/],
    [{ kind: 'response', status: 503 }, /503/],
  ] as const)('calls an address wrong that responds with %j', async (fault, detail) => {
    const { crm, testIt } = await setUp();
    crm.faults.push(fault);

    expect(await testIt()).toMatchObject([
      { check: 'address', state: 'fail', detail: expect.stringMatching(detail) },
    ]);
  });

  test('reports that nothing listens', async () => {
    const { crm, testIt } = await setUp();
    await crm.close();

    expect(await testIt()).toMatchObject([
      { check: 'address', state: 'fail', detail: expect.stringContaining('Nothing listens') },
    ]);
  });
});
