import { describe, expect, onTestFinished, test } from 'vitest';
import { createOdooProvider } from '../../shared/node/crm/odoo.ts';
import { expectOneFailure, makeDelivery, makeSourcedRecord, openClient } from '../support/crm/crm-export.ts';
import { startFakeOdoo, type FakeOdooOptions } from '../support/crm/fake-odoo.ts';
import { ODOO_DEBUG_CANARY } from '../support/crm/odoo-responses.ts';

async function openOdoo(options?: FakeOdooOptions) {
  const odoo = await startFakeOdoo(options);
  onTestFinished(() => odoo.close());
  const { url, apiKey, database } = odoo;
  const makeProvider = (changes: { url?: string; apiKey?: string; database?: string } = {}) =>
    createOdooProvider({ provider: 'odoo', url, apiKey, database, login: undefined, ...changes }, openClient());
  const provider = makeProvider();

  return { odoo, provider, makeProvider, delivery: makeDelivery(provider, makeSourcedRecord()) };
}

const leadCreation = /crm\.lead\/create/;

describe('an export to Odoo', () => {
  test('makes a lead with its fields and its campaign', async () => {
    const { odoo, delivery } = await openOdoo();

    const id = await delivery.tryIt(1);

    expect(odoo.leads).toEqual([
      {
        id: 1,
        name: 'Sweets & <Sons>: assessment request',
        contact_name: 'Ada King Lovelace',
        partner_name: 'Sweets & <Sons>',
        email_from: 'ada@example.org',
        phone: '+1 555 0100',
        referred: makeSourcedRecord().submission_id,
        source_id: 1,
        medium_id: 1,
        campaign_id: 1,
        description: expect.any(String) as string,
        user_id: false,
      },
    ]);
    expect(id).toBe('1');
    expect([odoo.sources, odoo.mediums, odoo.campaigns].map(([first]) => first?.['name'])).toEqual([
      'newsletter',
      'mail',
      'autumn',
    ]);
  });

  test('writes message, industry and source into the description, escaped', async () => {
    const { odoo, delivery } = await openOdoo();

    await delivery.tryIt(1);

    const description = odoo.leads[0]?.['description'];
    for (const part of [
      '<p>Our factory is &lt;slow&gt;.<br>Can you &quot;help&quot;?</p>',
      '<b>Industry:</b> Retail &amp; E-commerce',
      '<b>Campaign source:</b> newsletter',
      '<b>Campaign medium:</b> mail',
      '<b>Campaign:</b> autumn',
      '<b>Referring site:</b> searching.example',
      '<b>First page of the visit:</b> /education',
    ]) {
      expect(description).toContain(part);
    }
  });

  test('leaves it to Odoo whether a lead or an opportunity comes of it', async () => {
    const { odoo, delivery } = await openOdoo();

    await delivery.tryIt(1);

    expect(odoo.leads[0]).not.toHaveProperty('type');
  });

  test('works without the optional fields', async () => {
    const { odoo, provider } = await openOdoo();
    const left = { phone: null, industry: null, industry_label: null, message: null, source: {} };

    await makeDelivery(provider, makeSourcedRecord(left)).tryIt(1);

    const [lead] = odoo.leads;
    expect(lead).not.toHaveProperty('phone');
    expect(lead).not.toHaveProperty('source_id');
    expect(lead?.['description']).not.toMatch(/null|undefined|Industry|<p><\/p>/);
  });

  test('names the same campaign for the next lead', async () => {
    const { odoo, provider, delivery } = await openOdoo();
    await delivery.tryIt(1);
    const other = makeSourcedRecord({ submission_id: '0198b7f0-6a3c-4c1e-9d52-000000000002' });

    await makeDelivery(provider, other).tryIt(1);

    expect(odoo.leads.map((lead) => lead['campaign_id'])).toEqual([1, 1]);
    expect(odoo.campaigns).toHaveLength(1);
  });

  test.each([
    ['may not make', 'utm.source/create'],
    ['may not see', 'utm.source/search_read'],
  ])('leaves out the campaign source that the user %s, and names it in the description', async (_what, call) => {
    const { odoo, delivery } = await openOdoo({ forbidden: [call] });

    await delivery.tryIt(1);

    expect(odoo.leads[0]).not.toHaveProperty('source_id');
    expect(odoo.leads[0]).toMatchObject({ medium_id: 1, campaign_id: 1 });
    expect(odoo.leads[0]?.['description']).toContain('newsletter');
  });

  test('names the database where one address serves several', async () => {
    const { odoo, delivery } = await openOdoo({ severalDatabases: true });

    await delivery.tryIt(1);

    expect(odoo.leads).toHaveLength(1);
  });

  test('names no database where none is set', async () => {
    const { odoo } = await openOdoo();
    const { url, apiKey } = odoo;
    const settings = { provider: 'odoo', url, apiKey, database: undefined, login: undefined } as const;

    await makeDelivery(createOdooProvider(settings, openClient()), makeSourcedRecord()).tryIt(1);

    expect(odoo.leads).toHaveLength(1);
    expect(odoo.requests.some(({ headers }) => 'x-odoo-database' in headers)).toBe(false);
  });
});

describe('a try that fails at Odoo', () => {
  test.each([
    ['responds with a server error', { kind: 'response', status: 500 }, 'odoo-500'],
    [
      'has a record locked',
      { kind: 'response', status: 409, body: '{"name":"odoo.exceptions.LockError"}', on: leadCreation },
      'odoo-409-LockError',
    ],
    ['cuts the connection', { kind: 'cut-after' }, /^http-/],
    ['never responds', { kind: 'hang-before' }, 'http-timed-out'],
    ['is slow without end', { kind: 'drip' }, 'http-timed-out'],
    ['responds with something else', { kind: 'malformed' }, 'odoo-malformed-response'],
  ] as const)('because it %s is tried again', async (_how, fault, reason) => {
    const { odoo, delivery } = await openOdoo();
    odoo.faults.push(fault);

    const error =
      reason === 'http-timed-out' ? await delivery.failByTimeout(1, odoo.faults) : await delivery.fail(1);
    await delivery.tryIt(2);

    expect(error.result).toBe('retry');
    expect(error.reason).toMatch(reason);
    expect(odoo.leads).toHaveLength(1);
  });

  test.each([
    ['hung', 'hang-after'],
    ['was cut', 'cut-after'],
    ['was malformed', 'malformed'],
    ['was huge', 'huge-after'],
  ] as const)('when the lead was made and the response %s makes no second one', async (_how, kind) => {
    const { odoo, delivery } = await openOdoo();
    odoo.faults.push({ on: leadCreation, kind });

    const error =
      kind === 'hang-after'
        ? await delivery.failOnce(1, 'the lead', () => odoo.leads.length > 0)
        : await delivery.fail(1);

    expect(error).toMatchObject({ result: 'retry' });
    expect(await delivery.tryIt(2)).toBe('1');
    expect(odoo.leads).toHaveLength(1);
  });

  test('when a campaign was created and the response was lost creates no second one', async () => {
    const { odoo, delivery } = await openOdoo();
    odoo.faults.push({ on: /utm\.campaign\/create/, kind: 'cut-after' });

    await delivery.fail(1);
    await delivery.tryIt(2);

    expect(odoo.campaigns).toHaveLength(1);
    expect(odoo.leads).toMatchObject([{ campaign_id: 1 }]);
  });

  test('finds its lead also when sales has archived it', async () => {
    const { odoo, delivery } = await openOdoo();

    await delivery.tryIt(1);
    const lead = odoo.leads[0];
    if (lead) lead['active'] = false;

    expect(await delivery.tryIt(2)).toBe('1');
    expect(odoo.leads).toHaveLength(1);
  });

  test.each([
    ['the kind of error', 'odoo.exceptions.ValidationError', 'odoo-422-ValidationError'],
    ['the status', 'Ada King Lovelace <ada@example.org>', 'odoo-422'],
  ])('is dead when Odoo refuses a value, and reports only %s', async (_what, name, reason) => {
    const { odoo, delivery } = await openOdoo();
    const body = JSON.stringify({ name, message: 'Ada King Lovelace', debug: 'ada@example.org' });
    odoo.faults.push({ on: leadCreation, kind: 'response', status: 422, body });

    expect(await delivery.fail(1)).toMatchObject({
      result: 'dead',
      reason,
      name: 'CrmError',
    });
  });

  test.each([
    ['a wrong key', { apiKey: 'wrong' }, {}, 'odoo-401-Unauthorized'],
    ['a missing right', {}, { forbidden: ['crm.lead/create'] }, 'odoo-403-AccessError'],
    ['an unknown database', { database: 'other' }, {}, 'odoo-404'],
    ['a version that is too old', {}, { majorVersion: 18 }, 'odoo-too-old'],
  ])('pauses the kind for %s', async (_what, changes, options, reason) => {
    const { odoo, makeProvider } = await openOdoo(options);

    const error = await makeDelivery(makeProvider(changes), makeSourcedRecord()).fail(1);

    expect(error).toMatchObject({ result: 'paused', reason });
    expect(JSON.stringify(error) + String(error.stack)).not.toContain(ODOO_DEBUG_CANARY);
    expect(odoo.leads).toHaveLength(0);
  });

  test('pauses the kind for a redirect', async () => {
    const { odoo, delivery } = await openOdoo();
    odoo.faults.push({ kind: 'redirect', to: `${odoo.url}/elsewhere` });

    expect(await delivery.fail(1)).toMatchObject({
      result: 'paused',
      reason: 'http-redirect',
    });
    expect(odoo.requests.some(({ path }) => path === '/elsewhere')).toBe(false);
  });

  test('pauses the kind for as long as 429 asks', async () => {
    const { odoo, delivery } = await openOdoo();
    odoo.faults.push({ kind: 'response', status: 429, headers: { 'retry-after': '7' } });

    expect(await delivery.fail(1)).toMatchObject({ result: 'retry', kindWaitsMs: 7000 });
  });
});

describe('the test of the settings for Odoo', () => {
  const signal = AbortSignal.timeout(60_000);
  const contains = (text: string) => expect.stringContaining(text) as string;

  test('finds no error, warns of expiring keys and creates nothing', async () => {
    const { odoo, provider } = await openOdoo();

    const results = await provider.test(signal);

    expect(results.map(({ check, state }) => [check, state])).toEqual([
      ['version', 'ok'],
      ['credentials', 'ok'],
      ['rights', 'ok'],
      ['fields', 'ok'],
      ['key', 'ok'],
    ]);
    expect(results.at(-1)?.detail).toContain('three months');
    expect(odoo.requests.some(({ path }) => path.endsWith('/create'))).toBe(false);
  });

  test.each([
    ['long before', 60, 'ok'],
    ['shortly before', 5, 'warn'],
  ])('reports on which day the key expires, and %s whether that matters yet', async (_when, days, state) => {
    const end = new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
    const { provider } = await openOdoo({ keyEnd: `${end} 00:00:00` });

    const results = await provider.test(signal);

    expect(results.at(-1)).toEqual({ check: 'key', state, detail: contains(end) });
  });

  test.each([
    ['a version that is too old', { majorVersion: 18 }, {}, 'version', 'Odoo 18, which is too old'],
    ['a wrong key', {}, { apiKey: 'wrong-one' }, 'credentials', 'ODOO_API_KEY'],
    ['a wrong database', {}, { database: 'wrong-one' }, 'database', 'ODOO_DATABASE'],
    ['a right to read that is missing', { forbidden: ['crm.lead/search_read'] }, {}, 'rights', '403'],
    ['a right to create that is missing', { forbidden: ['crm.lead/create'] }, {}, 'rights', 'create'],
    ['a user with its own documents only', { forbidden: ['res.users/has_group'] }, {}, 'rights', 'All Documents'],
    ['an address where nothing listens', {}, { url: 'http://127.0.0.1:9' }, 'address', 'Nothing'],
  ])('names %s, without a secret', async (_what, options, changes, check, words) => {
    const { makeProvider } = await openOdoo(options);

    expectOneFailure(await makeProvider(changes).test(signal), { check, words, secret: /wrong-one|debug/ });
  });

  test.each([
    ['an address that is no Odoo’s', /web\/version/, { status: 200, body: '<html>' }, 'version', 'ODOO_URL'],
    [
      'an old version of Odoo’s own hosts',
      /web\/version/,
      { status: 200, body: '{"version_info":["saas~18",3]}' },
      'version',
      'Odoo 18, which is too old',
    ],
    ['a response of something else', /search_read/, { status: 200, body: '<html>' }, 'address', 'ODOO_URL'],
    ['a fault of the server', /search_read/, { status: 502 }, 'address', '502'],
    ['a field that is missing', /fields_get/, { status: 200, body: '{"name":{}}' }, 'fields', 'referred'],
  ] as const)('names %s', async (_what, on, response, check, words) => {
    const { odoo, provider } = await openOdoo();
    odoo.faults.push({ on, kind: 'response', ...response });

    const results = await provider.test(signal);

    expect(results.at(-1)).toEqual({ check, state: 'fail', detail: contains(words) });
  });
});
