import { describe, expect, onTestFinished, test } from 'vitest';
import type { CrmRecord } from '../../shared/node/crm/crm-provider.ts';
import { SalesforceError } from '../../shared/node/crm/salesforce/salesforce-api.ts';
import { createSalesforceProvider } from '../../shared/node/crm/salesforce/salesforce-provider.ts';
import { respondWith, makeCrmRecord, makeDelivery, openClient } from '../support/crm/crm-export.ts';
import { startFakeSalesforce, type FakeSalesforceOptions } from '../support/crm/fake-salesforce.ts';

const onLogin = /oauth2\/token/;
const onUpsert = /PATCH/;
const onDescribe = /describe/;

interface Setting extends FakeSalesforceOptions {
  /** Instead of the organization's own. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly path?: string;
  /** The setting; the organization's field has the option's name. */
  readonly keyField?: string;
}

async function setUp(setting: Setting = {}) {
  const { clientId, clientSecret, path = '', keyField = 'WebLeadId__c', ...options } = setting;
  const crm = await startFakeSalesforce(options);
  onTestFinished(() => crm.close());
  const provider = createSalesforceProvider(
    {
      provider: 'salesforce',
      loginUrl: crm.url + path,
      clientId: clientId ?? crm.clientId,
      clientSecret: clientSecret ?? crm.clientSecret,
      externalIdField: keyField,
    },
    openClient(),
  );

  return {
    crm,
    countLogins: () => crm.requests.filter((request) => onLogin.test(request.path)).length,
    startDelivery: (changes: Partial<CrmRecord> = {}) =>
      makeDelivery(provider, makeCrmRecord(changes)),
    testIt: () => provider.test(new AbortController().signal),
  };
}

describe('an export to Salesforce', () => {
  test('makes a lead whose key is the submission’s id', async () => {
    const { crm, startDelivery } = await setUp();

    const remoteId = await startDelivery().tryIt(1);

    expect(crm.leads).toMatchObject([{ id: remoteId }]);
    expect(crm.leads[0]?.values).toEqual({
      WebLeadId__c: '0198b7f0-6a3c-7c1e-9d52-3f0a6c1d2e4b',
      FirstName: 'Ada King',
      LastName: 'Lovelace',
      Company: 'Sweets & Sons',
      Email: 'ada@example.org',
      Phone: '+1 555 0100',
      Industry: 'Retail & E-commerce',
      LeadSource: 'Web',
      Status: 'Open - Not Contacted',
      Description: [
        'Message: Our factory is <slow>.',
        'Can you "help"?',
        'Campaign source: news<letter>',
        'Referring site: searching.example',
        'First page of the visit: /education',
        'Received: 2025-11-03T09:00:01.000Z',
      ].join('\n'),
    });
  });

  test('cuts values that are too long, but no address, and fills what Salesforce requires', async () => {
    const { crm, startDelivery } = await setUp();
    const email = `${'a'.repeat(90)}@example.org`;

    await startDelivery({
      name: `${'É'.repeat(50)} ${'😀'.repeat(41)}x`,
      company: ' ',
      email,
      phone: '1'.repeat(50),
      message: 'm'.repeat(40_000),
    }).tryIt(1);

    expect(crm.leads[0]?.values).toMatchObject({
      FirstName: 'É'.repeat(40),
      LastName: '😀'.repeat(40),
      Company: '[not provided]',
      Phone: '1'.repeat(40),
    });
    expect(crm.leads[0]?.values['Description']).toHaveLength(32_000);
    expect(crm.leads[0]?.values).not.toHaveProperty('Email');
    await startDelivery({ submission_id: 'second', email }).tryIt(1);
    expect(crm.leads[1]?.values['Description']).toContain(`E-mail: ${email}`);
  });

  test('never splits a character of two units', async () => {
    const { crm, startDelivery } = await setUp();

    await startDelivery({ name: `x${'😀'.repeat(40)}` }).tryIt(1);

    expect(crm.leads[0]?.values['LastName']).toBe(`x${'😀'.repeat(39)}`);
  });

  test('logs in once for many leads, and calls the instance of the login', async () => {
    const { crm, startDelivery, countLogins } = await setUp({ ownInstance: true });

    for (const id of ['first', 'second', 'third']) await startDelivery({ submission_id: id }).tryIt(1);

    expect(crm.leads).toHaveLength(3);
    expect(countLogins()).toBe(1);
    expect(crm.instanceUrl).not.toBe(crm.url);
  });

  test('renews an expired session and repeats the call', async () => {
    const { crm, startDelivery, countLogins } = await setUp();
    await startDelivery({ submission_id: 'first' }).tryIt(1);
    crm.expireTokens();

    await startDelivery({ submission_id: 'second' }).tryIt(1);

    expect(crm.leads).toHaveLength(2);
    expect(countLogins()).toBe(2);
  });

  test('renews a session only once a call', async () => {
    const { crm, startDelivery, countLogins } = await setUp();
    const over = respondWith(401, [{ errorCode: 'INVALID_SESSION_ID', message: 'Session expired' }]);
    crm.faults.push({ ...over, on: onUpsert }, { ...over, on: onUpsert });

    expect(await startDelivery().fail(1)).toMatchObject({
      result: 'paused',
      reason: 'salesforce-401-INVALID_SESSION_ID',
    });
    expect(countLogins()).toBe(2);
  });

  test('does not log in again for another 401', async () => {
    const { crm, startDelivery, countLogins } = await setUp();
    crm.faults.push({ ...respondWith(401, [{ errorCode: 'INVALID_AUTH_HEADER' }]), on: onUpsert });

    expect(await startDelivery().fail(1)).toMatchObject({ result: 'paused' });
    expect(countLogins()).toBe(1);
  });

  test.each(['cut-after', 'malformed'] as const)(
    'makes no second lead when the response was lost (%s)',
    async (kind) => {
      const { crm, startDelivery } = await setUp();
      const { tryIt, fail } = startDelivery();
      crm.faults.push({ kind, on: onUpsert });

      expect(await fail(1)).toMatchObject({
        result: 'retry',
        isAmbiguous: false,
        reason: expect.stringMatching(kind === 'malformed' ? 'salesforce-malformed-response' : /^http-/),
      });
      expect(await tryIt(2)).toBe(crm.leads[0]?.id);

      expect(crm.leads).toHaveLength(1);
    },
  );

  test('creates no second lead when the response was lost', async () => {
    const { crm, startDelivery } = await setUp();
    const { tryIt, failOnce } = startDelivery();
    crm.faults.push({ kind: 'hang-after', on: onUpsert });

    const failure = await failOnce(1, 'the lead to be made', () => crm.leads.length === 1);
    expect(failure).toMatchObject({ result: 'retry', reason: 'http-timed-out' });
    await tryIt(2);

    expect(crm.leads).toHaveLength(1);
  });

  test('is retried after a server error', async () => {
    const { crm, startDelivery } = await setUp();
    const { tryIt, fail } = startDelivery();
    crm.faults.push(
      { kind: 'response', status: 500, on: onLogin },
      { kind: 'response', status: 503, headers: { 'retry-after': '7' }, on: onUpsert },
    );

    expect(await fail(1)).toMatchObject({ result: 'retry', reason: 'salesforce-login-500' });
    expect(await fail(2)).toMatchObject({
      result: 'retry',
      reason: 'salesforce-503',
      kindWaitsMs: 7_000,
    });
    await tryIt(3);
    expect(crm.leads).toHaveLength(1);
  });

  test('passes duplicate rules that only warn', async () => {
    const { crm, startDelivery } = await setUp({ duplicateRule: 'alert' });

    await startDelivery({ submission_id: 'first' }).tryIt(1);
    await startDelivery({ submission_id: 'second' }).tryIt(1);

    expect(crm.leads).toHaveLength(2);
  });

  test('counts as delivered when a rule blocks a lead that sales has', async () => {
    const { crm, startDelivery } = await setUp({ duplicateRule: 'block' });

    await startDelivery({ submission_id: 'first' }).tryIt(1);

    expect(await startDelivery({ submission_id: 'second' }).tryIt(1)).toBeNull();
    expect(crm.leads).toHaveLength(1);
  });

  test('counts as delivered when the lead has been converted meanwhile', async () => {
    const { crm, startDelivery } = await setUp();
    const { tryIt } = startDelivery();
    const remoteId = await tryIt(1);
    crm.convertLead(remoteId ?? '');

    expect(await tryIt(2)).toBeNull();
  });

  test('treats 204 as an update', async () => {
    const { crm, startDelivery } = await setUp();
    crm.faults.push({ kind: 'response', status: 204, on: onUpsert });

    expect(await startDelivery().tryIt(1)).toBeNull();
  });

  test('is dead when several leads have its id', async () => {
    const { crm, startDelivery } = await setUp();
    crm.faults.push({ ...respondWith(300, ['/a', '/b']), on: onUpsert });

    expect(await startDelivery().fail(1)).toMatchObject({
      result: 'dead',
      reason: 'salesforce-300-several-leads-have-this-id',
    });
  });

  test('is dead when Salesforce refuses a value', async () => {
    const { startDelivery } = await setUp();

    const failure = await startDelivery({ email: 'ada' }).fail(1);

    expect(failure).toBeInstanceOf(SalesforceError);
    expect(failure).toMatchObject({
      result: 'dead',
      reason: 'salesforce-400-INVALID_EMAIL_ADDRESS',
      errorCode: 'INVALID_EMAIL_ADDRESS',
      status: 400,
    });
  });

  test.each([
    [400, 'REQUIRED_FIELD_MISSING'],
    [400, 'INVALID_FIELD'],
    [400, 'STRING_TOO_LONG'],
    [404, 'NOT_FOUND'],
  ])('is given up after %i %s', async (status, errorCode) => {
    const { crm, startDelivery } = await setUp();
    const fault = { message: 'Ada Lovelace <ada@example.org>', errorCode, fields: ['LastName'] };
    crm.faults.push({ ...respondWith(status, [fault]), on: onUpsert });

    expect(await startDelivery().fail(1)).toMatchObject({
      result: 'dead',
      reason: `salesforce-${status}-${errorCode}`,
    });
  });

  test('has only codes in its reason', async () => {
    const { crm, startDelivery } = await setUp();
    crm.faults.push({ ...respondWith(400, [{ errorCode: 'Ada Lovelace' }]), on: onUpsert });

    expect(await startDelivery().fail(1)).toMatchObject({ result: 'dead', reason: 'salesforce-400' });
  });

  test('waits an hour when the calls of the day are used up', async () => {
    const { startDelivery } = await setUp({ rateLimit: { calls: 0, windowMs: 60_000 } });

    expect(await startDelivery().fail(1)).toMatchObject({
      result: 'retry',
      reason: 'salesforce-403-REQUEST_LIMIT_EXCEEDED',
      kindWaitsMs: 3_600_000,
    });
  });

  test.each([429, 403])('waits as long as Retry-After says (%i)', async (status) => {
    const { crm, startDelivery } = await setUp();
    const fault = respondWith(status, [{ errorCode: 'REQUEST_LIMIT_EXCEEDED' }], { 'retry-after': '9' });
    crm.faults.push({ ...fault, on: onUpsert });

    expect(await startDelivery().fail(1)).toMatchObject({ result: 'retry', kindWaitsMs: 9_000 });
  });

  test.each([
    [{ clientId: 'wrong' }, 'salesforce-login-400-invalid_client_id'],
    [{ clientSecret: 'wrong' }, 'salesforce-login-400-invalid_client'],
    [{ path: '/wrong' }, 'salesforce-login-401'],
  ])('pauses all exports while the login is wrong (%j)', async (setting, reason) => {
    const { startDelivery } = await setUp(setting);

    const failure = await startDelivery().fail(1);

    expect(failure).toBeInstanceOf(SalesforceError);
    expect(failure).toMatchObject({ result: 'paused', reason });
  });

  test('pauses all exports while the user may not write leads', async () => {
    const { crm, startDelivery } = await setUp();
    crm.faults.push({ ...respondWith(403, [{ errorCode: 'INSUFFICIENT_ACCESS' }]), on: onUpsert });

    expect(await startDelivery().fail(1)).toMatchObject({
      result: 'paused',
      reason: 'salesforce-403-INSUFFICIENT_ACCESS',
    });
  });

  test.each([
    [{ kind: 'huge', on: onLogin }, 'retry', 'http-response-too-large'],
    [{ kind: 'redirect', to: 'http://127.0.0.1:1/', on: onLogin }, 'paused', 'http-redirect'],
    [{ kind: 'redirect', to: 'http://127.0.0.1:1/', on: onUpsert }, 'paused', 'http-redirect'],
  ] as const)('refuses a response that can’t be right (%j)', async (fault, result, reason) => {
    const { crm, startDelivery } = await setUp();
    crm.faults.push(fault);

    expect(await startDelivery().fail(1)).toMatchObject({ result, reason });
  });

  test.each([
    ['however much it says', 'huge-after'],
    ['also when the rest is cut off', 'cut-body'],
    ['also when the rest never comes', 'stall-body'],
  ] as const)('is delivered once Salesforce confirms the lead, %s', async (_how, kind) => {
    const { crm, startDelivery } = await setUp();
    crm.faults.push({ kind, on: onUpsert });

    expect(await startDelivery().tryIt(1, AbortSignal.timeout(1_000))).toBeNull();

    expect(crm.leads).toHaveLength(1);
  });

  test('refuses a login that names no instance', async () => {
    const { crm, startDelivery } = await setUp();
    crm.faults.push(respondWith(200, { access_token: 'token', instance_url: 'nowhere' }));

    expect(await startDelivery().fail(1)).toMatchObject({
      result: 'retry',
      reason: 'salesforce-login-malformed-response',
    });
  });

  test('does not wait for a response that never comes', async () => {
    const { crm, startDelivery } = await setUp();
    crm.faults.push({ kind: 'hang-before', on: onUpsert });

    const failure = await startDelivery().failOnce(1, 'the call', () => crm.requests.length === 2);

    expect(failure).toMatchObject({ result: 'retry', reason: 'http-timed-out' });
  });
});

/** A field as Salesforce describes it, which the app's user may write. */
const makeField = (name: string, changes: object = {}) => ({
  name,
  length: 255,
  createable: true,
  updateable: true,
  externalId: false,
  unique: false,
  ...changes,
});

const keyField = makeField('WebLeadId__c', { externalId: true, unique: true, length: 36 });
const standardFields = [
  ...['FirstName', 'LastName', 'Company', 'Email', 'Phone'],
  ...['Industry', 'LeadSource', 'Description'],
].map((name) => makeField(name));

const describeWith = (changes: object) => ({
  ...respondWith(200, {
    createable: true,
    updateable: true,
    fields: [...standardFields, keyField],
    ...changes,
  }),
  on: onDescribe,
});

describe('the test of Salesforce', () => {
  test('passes without writing anything', async () => {
    const { crm, testIt } = await setUp();

    const results = await testIt();

    expect(results.map(({ check, state }) => [check, state])).toEqual([
      ['credentials', 'ok'],
      ['rights', 'ok'],
      ['fields', 'ok'],
      ['choices', 'ok'],
      ['external id', 'ok'],
    ]);
    expect(crm.leads).toHaveLength(0);
    expect(JSON.stringify(results)).not.toContain(crm.clientSecret);
  });

  test.each([
    [{ clientId: 'wrong' }, 'credentials', /SALESFORCE_CLIENT_ID/],
    [{ clientSecret: 'wrong' }, 'credentials', /SALESFORCE_CLIENT_SECRET/],
    [{ path: '/wrong' }, 'address', /401.*SALESFORCE_LOGIN_URL/],
    [{ keyField: 'Other__c' }, 'external id', /no field Other__c/],
    [{ externalIdUnique: false }, 'external id', /WebLeadId__c is not marked Unique;/],
    [{ rateLimit: { calls: 0, windowMs: 60_000 } }, 'limits', /24 hours.*403/],
  ])('reports what is wrong with %j', async (setting, check, detail) => {
    const { testIt } = await setUp(setting);

    expect((await testIt()).filter(({ state }) => state !== 'ok')).toMatchObject([
      { check, state: 'fail', detail: expect.stringMatching(detail) },
    ]);
  });

  test.each([
    ['may not make leads', { createable: false }, 'rights', /may not create leads/],
    [
      'does not see a field',
      { fields: [...standardFields.filter(({ name }) => name !== 'Phone'), keyField] },
      'fields',
      /can’t write Phone;/,
    ],
    [
      'may not write a field',
      { fields: [...standardFields.slice(1), makeField('FirstName', { updateable: false }), keyField] },
      'fields',
      /can’t write FirstName;/,
    ],
    [
      'may choose only other values',
      {
        fields: [
          ...standardFields.filter(({ name }) => name !== 'LeadSource'),
          makeField('LeadSource', {
            restrictedPicklist: true,
            picklistValues: [
              { value: 'Phone', active: true },
              { value: 'Web', active: false },
            ],
          }),
          keyField,
        ],
      },
      'choices',
      /LeadSource doesn’t accept Web:/,
    ],
    [
      'has a plain text field as key',
      { fields: [...standardFields, makeField('WebLeadId__c', { length: 18 })] },
      'external id',
      /is not marked External ID and is not marked Unique and is shorter than 36 characters;/,
    ],
  ])('reports when the app’s user %s', async (_name, changes, check, detail) => {
    const { crm, testIt } = await setUp();
    crm.faults.push(describeWith(changes));

    expect((await testIt()).filter(({ state }) => state !== 'ok')).toMatchObject([
      { check, state: 'fail', detail: expect.stringMatching(detail) },
    ]);
  });

  test('reports that leads can’t be seen', async () => {
    const { crm, testIt } = await setUp();
    crm.faults.push({ ...respondWith(404, [{ errorCode: 'NOT_FOUND' }]), on: onDescribe });

    expect((await testIt()).at(-1)).toMatchObject({
      check: 'rights',
      state: 'fail',
      detail: expect.stringContaining('404 NOT_FOUND'),
    });
  });

  test('reads as many fields as a real organization has', async () => {
    const { crm, testIt } = await setUp();
    const fields = Array.from({ length: 800 }, (_, index) =>
      makeField(`Custom${index}__c`, { label: 'x'.repeat(500) }),
    );
    crm.faults.push(describeWith({ fields: [...standardFields, ...fields, keyField] }));

    expect((await testIt()).filter(({ state }) => state !== 'ok')).toEqual([]);
  });

  test.each([
    [{ kind: 'malformed' }, /not Salesforce/],
    [{ kind: 'redirect', to: 'http://127.0.0.1:1/' }, /redirect/],
    [{ kind: 'response', status: 503 }, /503/],
  ] as const)('calls an address wrong that responds with %j', async (fault, detail) => {
    for (const on of [onLogin, onDescribe]) {
      const { crm, testIt } = await setUp();
      crm.faults.push({ ...fault, on });

      expect(await testIt()).toMatchObject([
        { check: 'address', state: 'fail', detail: expect.stringMatching(detail) },
      ]);
    }
  });

  test('reports that nothing listens', async () => {
    const { crm, testIt } = await setUp();
    await crm.close();

    expect(await testIt()).toMatchObject([
      { check: 'address', state: 'fail', detail: expect.stringContaining('Nothing listens') },
    ]);
  });
});
