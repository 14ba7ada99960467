import { describe, expect, onTestFinished, test } from 'vitest';
import { createOdooProvider } from '../../shared/node/crm/odoo.ts';
import type { CrmRecord } from '../../shared/node/crm/crm-provider.ts';
import { expectOneFailure, makeCrmRecord, makeDelivery, openClient } from '../support/crm/crm-export.ts';
import { startFakeOdoo, type FakeOdooOptions } from '../support/crm/fake-odoo.ts';
import { ODOO_DEBUG_CANARY } from '../support/crm/odoo-responses.ts';

const source = { utm_source: 'newsletter', utm_medium: 'mail', utm_campaign: 'autumn' };
const makeLead = (changes: Partial<CrmRecord> = {}) =>
  makeCrmRecord({ company: 'Sweets & <Sons>', source, ...changes });
const later = { submission_id: '0198b7f0-6a3c-4c1e-9d52-000000000002' };

async function openOdoo({ majorVersion = 16, ...options }: FakeOdooOptions = {}) {
  const odoo = await startFakeOdoo({ majorVersion, ...options });
  onTestFinished(() => odoo.close());
  const { url, apiKey, database, login } = odoo;
  const makeProvider = (
    changes: { url?: string; apiKey?: string; database?: string; login?: string } = {},
  ) => createOdooProvider({ provider: 'odoo', url, apiKey, database, login, ...changes }, openClient());
  const provider = makeProvider();

  return { odoo, provider, makeProvider, delivery: makeDelivery(provider, makeLead()) };
}

/** Such an error as Odoo responds with, with status 200. */
function respondError(name: string, message: string) {
  const data = { name, message, arguments: [message], context: {}, debug: ODOO_DEBUG_CANARY };
  const error = { code: 200, message: 'Odoo Server Error', data };

  return { kind: 'response', status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, error }) } as const;
}

describe('an export to Odoo by JSON-RPC', () => {
  test.each([14, 15, 16, 17, 18])('makes a lead with its fields and its campaign in Odoo %i', async (majorVersion) => {
    const { odoo, delivery } = await openOdoo({ majorVersion });

    const id = await delivery.tryIt(1);

    expect(id).toBe('1');
    expect(odoo.leads).toMatchObject([
      {
        id: 1,
        name: 'Sweets & <Sons>: assessment request',
        contact_name: 'Ada King Lovelace',
        partner_name: 'Sweets & <Sons>',
        email_from: 'ada@example.org',
        phone: '+1 555 0100',
        referred: makeLead().submission_id,
        user_id: false,
        source_id: 1,
        medium_id: 1,
        campaign_id: 1,
      },
    ]);
    expect([odoo.sources, odoo.mediums, odoo.campaigns].map(([first]) => first?.['name'])).toEqual([
      'newsletter',
      'mail',
      'autumn',
    ]);
  });

  test.each([
    [15, '<p>Our factory is &lt;slow&gt;.<br>Can you &quot;help&quot;?</p>'],
    [14, 'Our factory is <slow>.\nCan you "help"?\n\n- Industry: Retail & E-commerce\n'],
  ])('describes it in Odoo %i as its field takes it', async (majorVersion, description) => {
    const { odoo, delivery } = await openOdoo({ majorVersion });

    await delivery.tryIt(1);

    expect(odoo.leads[0]?.['description']).toContain(description);
  });

  test('logs in once for several leads, and again in another database', async () => {
    const { odoo, provider } = await openOdoo();
    const countLogins = () => odoo.requests.filter(({ body }) => body.includes('"authenticate"')).length;

    await makeDelivery(provider, makeLead()).tryIt(1);
    await makeDelivery(provider, makeLead(later)).tryIt(1);
    expect(countLogins()).toBe(1);

    odoo.faults.push(respondError('odoo.exceptions.AccessDenied', 'Access Denied'));
    await makeDelivery(provider, makeLead(later)).fail(1);
    await makeDelivery(provider, makeLead(later)).tryIt(2);
    expect(countLogins()).toBe(2);
    expect(odoo.leads).toHaveLength(2);
  });

  test('leaves out the campaign source that the user may not see', async () => {
    const { odoo, delivery } = await openOdoo({ forbidden: ['utm.source/read'] });

    await delivery.tryIt(1);

    expect(odoo.leads[0]).not.toHaveProperty('source_id');
    expect(odoo.leads[0]).toMatchObject({ medium_id: 1, campaign_id: 1 });
  });
});

describe('a try that fails at Odoo by JSON-RPC', () => {
  test.each(['hang-after', 'cut-after', 'malformed', 'huge-after'] as const)(
    'makes no second lead when the response was lost (%s)',
    async (kind) => {
      const { odoo, provider } = await openOdoo();
      const delivery = makeDelivery(provider, makeLead({ source: {} }));
      // The fault is for the creation: it comes once all before it was asked.
      odoo.faults.push({ on: /^POST \/jsonrpc/, kind: 'slow', ms: 0 });
      odoo.faults.push({ on: /^POST \/jsonrpc/, kind: 'slow', ms: 0 });
      odoo.faults.push({ on: /^POST \/jsonrpc/, kind: 'slow', ms: 0 });
      odoo.faults.push({ on: /^POST \/jsonrpc/, kind });

      const error =
        kind === 'hang-after'
          ? await delivery.failOnce(1, 'the lead', () => odoo.leads.length > 0)
          : await delivery.fail(1);

      expect(error).toMatchObject({ result: 'retry' });
      expect(await delivery.tryIt(2)).toBe('1');
      expect(odoo.leads).toHaveLength(1);
    },
  );

  test.each([
    ['odoo.exceptions.ValidationError', 'Ada King Lovelace', 'dead', 'odoo-422-ValidationError'],
    ['odoo.exceptions.UserError', 'Ada King Lovelace', 'dead', 'odoo-422-UserError'],
    ['odoo.exceptions.UserError', "Object crm.lead doesn't exist", 'paused', 'odoo-404-UserError'],
    ['odoo.exceptions.AccessError', 'Ada King Lovelace', 'paused', 'odoo-403-AccessError'],
    ['werkzeug.exceptions.NotFound', '404 Not Found', 'paused', 'odoo-404-no-jsonrpc'],
    ['psycopg2.OperationalError', 'database "x" does not exist', 'paused', 'odoo-404-OperationalError'],
    ['psycopg2.OperationalError', 'too many clients', 'retry', 'odoo-500-OperationalError'],
    ['psycopg2.errors.SerializationFailure', 'ada@example.org', 'retry', 'odoo-500-SerializationFailure'],
    ['builtins.Exception', 'ada@example.org', 'retry', 'odoo-500-Exception'],
  ])('reports of %s (%s) only the kind: %s', async (name, message, result, reason) => {
    const { odoo, provider } = await openOdoo();
    odoo.faults.push(respondError(name, message));

    const error = await makeDelivery(provider, makeLead({ source: {} })).fail(1);

    expect(error).toMatchObject({ result, reason, name: 'CrmError' });
    expect(JSON.stringify(error) + String(error.stack)).not.toContain(ODOO_DEBUG_CANARY);
  });

  test.each([
    ['a wrong key', { apiKey: 'wrong' }, {}, 'odoo-401-AccessDenied'],
    ['a wrong login', { login: 'wrong' }, {}, 'odoo-401-AccessDenied'],
    ['an unknown database', { database: 'other' }, {}, 'odoo-404-OperationalError'],
    ['a missing right', {}, { forbidden: ['crm.lead/create'] }, 'odoo-403-AccessError'],
    ['a database without the CRM', {}, { hasCrm: false }, 'odoo-404-UserError'],
  ])('pauses the kind for %s', async (_what, changes, options, reason) => {
    const { odoo, makeProvider } = await openOdoo(options);

    const error = await makeDelivery(makeProvider(changes), makeLead()).fail(1);

    expect(error).toMatchObject({ result: 'paused', reason });
    expect(odoo.leads).toHaveLength(0);
  });

  test('obeys the statuses of a proxy', async () => {
    const { odoo, delivery } = await openOdoo();
    odoo.faults.push({ kind: 'response', status: 429, headers: { 'retry-after': '7' } });
    expect(await delivery.fail(1)).toMatchObject({ result: 'retry', kindWaitsMs: 7000 });
    odoo.faults.push({ kind: 'response', status: 404 });
    expect(await delivery.fail(1)).toMatchObject({ result: 'paused', reason: 'odoo-404-no-jsonrpc' });
    odoo.faults.push({ kind: 'response', status: 502 });
    expect(await delivery.fail(2)).toMatchObject({ result: 'retry', reason: 'odoo-502' });
  });
});

describe('the test of the settings for Odoo with a login', () => {
  const { signal } = new AbortController();
  const contains = (text: string) => expect.stringContaining(text) as string;

  test.each([14, 17, 18])('finds no error in Odoo %i and creates nothing', async (majorVersion) => {
    const { odoo, provider } = await openOdoo({ majorVersion });

    const results = await provider.test(signal);

    expect(results.map(({ check, state }) => [check, state])).toEqual([
      ['version', 'ok'],
      ['credentials', 'ok'],
      ['rights', 'ok'],
      ['fields', 'ok'],
      ['key', 'ok'],
    ]);
    expect(odoo.requests.some(({ body }) => body.includes('"create",[['))).toBe(false);
  });

  test.each([
    ['a version that is too old', { majorVersion: 13 }, {}, 'version', 'Odoo 13, which is too old'],
    ['a wrong key', {}, { apiKey: 'wrong-one' }, 'credentials', 'ODOO_API_KEY'],
    ['a wrong login', {}, { login: 'wrong-one' }, 'credentials', 'ODOO_LOGIN'],
    ['a wrong database', {}, { database: 'wrong-one' }, 'database', 'ODOO_DATABASE'],
    ['a database without the CRM', { hasCrm: false }, {}, 'database', 'CRM app'],
    ['a right to read that is missing', { forbidden: ['crm.lead/read'] }, {}, 'rights', '403'],
    ['a right to create that is missing', { forbidden: ['crm.lead/create'] }, {}, 'rights', 'create'],
    ['a user with its own documents only', { forbidden: ['res.users/has_group'] }, {}, 'rights', 'All Documents'],
    ['an address where nothing listens', {}, { url: 'http://127.0.0.1:9' }, 'address', 'Nothing'],
  ])('names %s, without a secret', async (_what, options, changes, check, words) => {
    const { makeProvider } = await openOdoo(options);

    expectOneFailure(await makeProvider(changes).test(signal), { check, words, secret: /wrong-one|debug/ });
  });

  test('names a switched-off JSON-RPC', async () => {
    const { odoo, provider } = await openOdoo();
    odoo.faults.push(respondError('werkzeug.exceptions.NotFound', '404 Not Found'));

    expectOneFailure(await provider.test(signal), { check: 'version', words: '/jsonrpc is switched off', secret: /debug/ });
  });

  test('asks to unset the login once the version has the newer API', async () => {
    const { odoo, provider } = await openOdoo();
    const result = { server_version_info: [19, 0, 0, 'final', 0, ''] };
    odoo.faults.push({ kind: 'response', status: 200, body: JSON.stringify({ result }) });

    expect((await provider.test(signal))[0]).toEqual({
      check: 'version',
      state: 'warn',
      detail: contains('unset ODOO_LOGIN'),
    });
  });
});
