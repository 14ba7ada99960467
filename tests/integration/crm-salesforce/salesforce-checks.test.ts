import { describe, expect, test } from 'vitest';
import { respondWith } from '../../support/crm/crm-export.ts';
import { onLogin, setUp } from './salesforce-organization.ts';

const onDescribe = /describe/;

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
      ['external id', 'ok'],
      ['fields', 'ok'],
      ['choices', 'ok'],
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

  test.each([
    ['a field that every lead fills', 'Description', { isRefusal: true }],
    ['a field that visitors may leave out', 'Phone', {}],
  ])('says of %s and that may not be written whether any lead can arrive', async (_what, name, refusal) => {
    const { crm, testIt } = await setUp();
    const others = standardFields.filter((field) => field.name !== name);
    crm.faults.push(describeWith({ fields: [...others, makeField(name, { createable: false }), keyField] }));

    expect((await testIt()).at(-1)).toEqual({
      check: 'fields',
      state: 'fail',
      detail: expect.stringContaining(`can’t write ${name};`) as string,
      ...refusal,
    });
  });

  test('reports that leads can’t be seen', async () => {
    const { crm, testIt } = await setUp();
    crm.faults.push({ ...respondWith(404, [{ errorCode: 'NOT_FOUND' }]), on: onDescribe });

    expect((await testIt()).at(-1)).toMatchObject({
      check: 'rights',
      state: 'fail',
      isRefusal: true,
      detail: expect.stringContaining('404-NOT_FOUND'),
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
    [{ kind: 'malformed' }, /not Salesforce|malformed/],
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
