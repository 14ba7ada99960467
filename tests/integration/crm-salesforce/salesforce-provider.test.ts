import { describe, expect, test } from 'vitest';
import { respondWith } from '../../support/crm/crm-export.ts';
import { onUpsert, setUp } from './salesforce-organization.ts';

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

  test('writes an address that Salesforce refuses into the description', async () => {
    const { crm, startDelivery } = await setUp();
    const email = '.Ada@example.org';
    const { tryIt, fail } = startDelivery({ email });
    crm.faults.push({ kind: 'slow', ms: 0, on: onUpsert }, { kind: 'response', status: 500, on: onUpsert });

    await fail(1);
    await tryIt(2);

    expect(crm.leads).toHaveLength(1);
    expect(crm.leads[0]?.values).not.toHaveProperty('Email');
    expect(crm.leads[0]?.values['Description']).toContain(`E-mail: ${email}`);
  });

  test('makes the lead without what a restricted picklist doesn’t have, and the description has the industry', async () => {
    const { crm, startDelivery } = await setUp();
    const refused = { errorCode: 'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST', fields: ['Industry'] };
    crm.faults.push({ ...respondWith(400, [refused]), on: onUpsert });

    await startDelivery({ email: '.ada@example.org' }).tryIt(1);

    expect(crm.leads).toHaveLength(1);
    for (const field of ['Industry', 'LeadSource', 'Email']) expect(crm.leads[0]?.values).not.toHaveProperty(field);
    expect(crm.leads[0]?.values['Description']).toContain('E-mail: .ada@example.org\nIndustry: Retail & E-commerce\n');
  });

  test('is dead when the picklist that Salesforce refuses a value of is another', async () => {
    const { crm, startDelivery } = await setUp();
    const refusal = { ...respondWith(400, [{ errorCode: 'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST' }]), on: onUpsert };
    crm.faults.push(refusal, refusal);

    expect(await startDelivery().fail(1)).toMatchObject({
      result: 'dead',
      reason: 'salesforce-400-INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST',
    });
  });

  test('writes a domain in its own script as the DNS has it, and as it was typed into the description', async () => {
    const { crm, startDelivery } = await setUp();

    await startDelivery({ email: 'ada@bücher.example' }).tryIt(1);

    expect(crm.leads[0]?.values).toMatchObject({ Email: 'ada@xn--bcher-kva.example' });
    expect(crm.leads[0]?.values['Description']).toContain('E-mail: ada@bücher.example');
  });

  test.each([`${'É'.repeat(41)} Lovelace`, `Ada ${'x'.repeat(81)}`])(
    'has a name that it cuts whole in the description: %s',
    async (name) => {
      const { crm, startDelivery } = await setUp();

      await startDelivery({ name }).tryIt(1);

      expect(crm.leads[0]?.values['Description']).toContain(`Name: ${name}\n`);
    },
  );

  test('never splits a character of two units', async () => {
    const { crm, startDelivery } = await setUp();

    await startDelivery({ name: `x${'😀'.repeat(40)}` }).tryIt(1);

    expect(crm.leads[0]?.values['LastName']).toBe(`x${'😀'.repeat(39)}`);
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

  test('leaves what sales wrote into the lead between two tries', async () => {
    const { crm, startDelivery } = await setUp();
    const { tryIt, fail } = startDelivery();
    crm.faults.push({ kind: 'cut-after', on: onUpsert });
    await fail(1);
    Object.assign(crm.leads[0]?.values ?? {}, { LastName: 'King', Phone: '+44 1' });

    expect(await tryIt(2)).toBe(crm.leads[0]?.id);

    expect(crm.leads).toMatchObject([{ values: { LastName: 'King', Phone: '+44 1' } }]);
  });

  test('makes the lead at a repeat where no try before has', async () => {
    const { crm, startDelivery } = await setUp();

    expect(await startDelivery().tryIt(2)).toBe(crm.leads[0]?.id);

    expect(crm.leads).toHaveLength(1);
  });

  test('passes duplicate rules that only warn', async () => {
    const { crm, startDelivery } = await setUp({ duplicateRule: 'alert' });

    await startDelivery({ submission_id: 'first' }).tryIt(1);
    await startDelivery({ submission_id: 'second' }).tryIt(1);

    expect(crm.leads).toHaveLength(2);
  });

  test('is dead when a duplicate rule blocks it, because the request is nowhere in Salesforce then', async () => {
    const { crm, startDelivery } = await setUp({ duplicateRule: 'block' });

    await startDelivery({ submission_id: 'first' }).tryIt(1);

    const { fail, tryIt } = startDelivery({ submission_id: 'second' });
    expect(await fail(1)).toMatchObject({ result: 'dead', reason: 'salesforce-400-DUPLICATES_DETECTED' });

    crm.setDuplicateRule('alert');
    await tryIt(2);
    expect(crm.leads).toHaveLength(2);
  });

  test('counts as delivered when the lead has been converted meanwhile', async () => {
    const { crm, startDelivery } = await setUp();
    const { tryIt, steps } = startDelivery();
    const remoteId = await tryIt(1);
    crm.convertLead(remoteId ?? '');

    expect(await tryIt(2)).toBe(remoteId);
    // Of a restored backup, say, which knows of no try.
    steps.clear();
    expect(await tryIt(1)).toBeNull();
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
});
