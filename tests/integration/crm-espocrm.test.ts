import { describe, expect, onTestFinished, test } from 'vitest';
import { createEspocrmProvider } from '../../shared/node/crm/espocrm.ts';
import type { CrmRecord } from '../../shared/node/crm/crm-provider.ts';
import { expectOneFailure, makeDelivery, makeSourcedRecord, openClient, respondWith } from '../support/crm/crm-export.ts';
import { startFakeEspocrm, type FakeEspocrmOptions } from '../support/crm/fake-espocrm.ts';

/** With a number that can be written as E.164. */
const makeLead = (changes: Partial<CrmRecord> = {}) => makeSourcedRecord({ phone: '+1 (555) 010-0000', ...changes });

const later = { submission_id: '0198b7f0-6a3c-4c1e-9d52-000000000002' };
/** A lead of the same address, as a person of sales typed it. */
const known = { firstName: 'Ada', lastName: 'King', emailAddress: 'ADA@example.org' };

async function openEspocrm(options?: FakeEspocrmOptions) {
  const espocrm = await startFakeEspocrm(options);
  onTestFinished(() => espocrm.close());
  const makeProvider = (changes: { apiKey?: string; url?: string } = {}) =>
    createEspocrmProvider(
      { provider: 'espocrm', url: espocrm.url, apiKey: espocrm.apiKey, ...changes },
      openClient(),
    );
  const provider = makeProvider();

  return { espocrm, provider, makeProvider, delivery: makeDelivery(provider, makeLead()) };
}

const leadCreation = /^POST .*\/Lead$/;
const noteCreation = /^POST .*\/Note$/;

describe('an export to EspoCRM', () => {
  test('makes a lead with its fields', async () => {
    const { espocrm, delivery } = await openEspocrm();

    const id = await delivery.tryIt(1);

    expect(espocrm.leads).toHaveLength(1);
    expect(espocrm.leads[0]).toMatchObject({
      id,
      firstName: 'Ada King',
      lastName: 'Lovelace',
      accountName: 'Sweets & Sons',
      emailAddress: 'ada@example.org',
      phoneNumber: '+15550100000',
      source: 'Web Site',
      status: 'New',
    });
    expect(espocrm.notes).toEqual([]);
  });

  test('writes all that was typed into the description, in which Markdown hides nothing', async () => {
    const { espocrm, delivery } = await openEspocrm();

    await delivery.tryIt(1);

    for (const part of [
      'Our factory is \\<slow>.  \nCan you "help"?',
      '- Name: Ada King Lovelace',
      '- Email: Ada@Example.org',
      '- Company: Sweets & \\<Sons>',
      '- Phone: +1 (555) 010-0000',
      '- Industry: Retail & E-commerce',
      '- Campaign source: newsletter',
      '- Campaign medium: mail',
      '- Campaign: autumn',
      '- Referring site: searching.example',
      '- First page of the visit: /education',
      `- Reference: ${makeLead().submission_id}`,
    ]) {
      expect(espocrm.leads[0]?.['description']).toContain(part);
    }
  });

  test('works without the optional fields, and with a name of one word', async () => {
    const { espocrm, provider } = await openEspocrm();
    const left = { name: 'Ada', phone: null, industry: null, industry_label: null, message: null, source: {} };

    await makeDelivery(provider, makeLead(left)).tryIt(1);

    expect(espocrm.leads[0]).toMatchObject({ firstName: null, lastName: 'Ada', phoneNumber: null });
    expect(espocrm.leads[0]?.['description']).not.toMatch(/null|undefined|Industry/);
  });

  test('makes a lead also of a name that has only what EspoCRM refuses, and the description has it', async () => {
    const { espocrm, provider } = await openEspocrm({ requiredFields: ['lastName'] });

    await makeDelivery(provider, makeLead({ name: '<=>' })).tryIt(1);

    expect(espocrm.leads).toMatchObject([{ firstName: null, lastName: '[not provided]' }]);
    expect(espocrm.leads[0]?.['description']).toContain('- Name: \\<=>');
  });

  test('leaves a phone number without its country code to the description', async () => {
    const { espocrm, provider } = await openEspocrm();

    await makeDelivery(provider, makeLead({ phone: '01 234567' })).tryIt(1);

    expect(espocrm.leads[0]?.['phoneNumber']).toBeNull();
    expect(espocrm.leads[0]?.['description']).toContain('- Phone: 01 234567');
  });

  test('writes a domain in its own script as the DNS has it, which is all that EspoCRM takes', async () => {
    const { espocrm, provider } = await openEspocrm();
    const email = 'ada@bücher.example';

    await makeDelivery(provider, makeLead({ email })).tryIt(1);
    await makeDelivery(provider, makeLead({ ...later, email })).tryIt(1);

    expect(espocrm.leads).toMatchObject([{ emailAddress: 'ada@xn--bcher-kva.example' }]);
    expect(espocrm.leads[0]?.['description']).toContain(email);
  });

  test('leaves out a value that the rules of the administrator refuse', async () => {
    const { espocrm, delivery } = await openEspocrm();
    const refuse = (field: string) => {
      const data = { field, type: 'maxLength' };
      const body = { messageTranslation: { label: 'validationFailure', scope: null, data } };
      espocrm.faults.push({ on: leadCreation, ...respondWith(400, body) });
    };
    refuse('accountName');
    refuse('source');

    await delivery.tryIt(1);

    expect(espocrm.leads).toMatchObject([{ accountName: null, source: null, lastName: 'Lovelace' }]);
  });

  test('makes one lead without the address that EspoCRM refuses, and the description has it', async () => {
    const { espocrm, provider } = await openEspocrm();
    const { tryIt } = makeDelivery(provider, makeLead({ email: '.Ada@example.org' }));

    const id = await tryIt(1);
    // As after a worker that was killed once it had recorded the lead.
    expect(await tryIt(2)).toBe(id);

    expect(espocrm.leads).toMatchObject([{ id, emailAddress: null, lastName: 'Lovelace' }]);
    expect(espocrm.leads[0]?.['description']).toContain('- Email: .Ada@example.org');
    expect(espocrm.notes).toEqual([]);
  });

  test('makes a lead also of somebody who has the name of another', async () => {
    const { espocrm, provider, delivery } = await openEspocrm();
    await delivery.tryIt(1);

    await makeDelivery(provider, makeLead({ ...later, email: 'other@example.org' })).tryIt(1);

    expect(espocrm.leads).toHaveLength(2);
  });

  test('notes on the open lead of the address, whose values stay, and fills what is empty', async () => {
    const { espocrm, provider } = await openEspocrm();
    const id = espocrm.addLead({ ...known, accountName: 'Analytical Engines', description: 'Called.' });

    expect(await makeDelivery(provider, makeLead({ name: 'Mallory' })).tryIt(1)).toBe(id);

    expect(espocrm.leads).toMatchObject([
      {
        firstName: 'Ada',
        lastName: 'King',
        accountName: 'Analytical Engines',
        description: 'Called.',
        phoneNumber: '+15550100000',
      },
    ]);
    expect(espocrm.notes).toMatchObject([{ parentId: id, type: 'Post' }]);
    expect(espocrm.notes[0]?.post).toMatch(/Our factory[^]*- Name: Mallory[^]*- Reference: /);
  });

  test('mentions nobody in a post, whatever was typed', async () => {
    const { espocrm, provider } = await openEspocrm();
    espocrm.addLead(known);
    const typed = { message: 'Ask @admin, x@boss, @@all.', name: '@boss', company: 'At @-home' };

    await makeDelivery(provider, makeLead(typed)).tryIt(1);

    expect(espocrm.notes[0]?.post.replaceAll('\u200b', '')).toContain(typed.message);
    expect(espocrm.notes).toMatchObject([{ mentions: [] }]);
  });

  test.each(['Converted', 'Recycled', 'Dead'])(
    'leaves a lead of the address that is %s as it is, and makes another',
    async (status) => {
      const { espocrm, delivery } = await openEspocrm();
      espocrm.addLead({ ...known, status });

      await delivery.tryIt(1);

      expect(espocrm.leads).toMatchObject([{ status, accountName: null }, { status: 'New' }]);
      expect(espocrm.notes).toEqual([]);
    },
  );

  test('notes on a lead that the role may not edit', async () => {
    const { espocrm, delivery } = await openEspocrm({ rights: { edit: 'own' } });
    espocrm.addLead(known);

    await delivery.tryIt(1);

    expect(espocrm.leads).toMatchObject([{ accountName: null, phoneNumber: null }]);
    expect(espocrm.notes).toHaveLength(1);
  });

  test('works with version 8 too', async () => {
    const { espocrm, provider, delivery } = await openEspocrm({ majorVersion: 8, acceptsLoosePhones: true });
    espocrm.addLead({ lastName: 'Other', emailAddress: 'other@example.org' });

    await delivery.tryIt(1);
    await makeDelivery(provider, makeLead(later)).tryIt(1);

    expect(espocrm.leads).toHaveLength(2);
    expect(espocrm.notes).toHaveLength(1);
  });

  test('sends the key in its header, never in the address', async () => {
    const { espocrm, delivery } = await openEspocrm();

    await delivery.tryIt(1);

    expect(espocrm.requests.length).toBeGreaterThan(1);
    for (const { headers, path } of espocrm.requests) {
      expect(headers['x-api-key']).toBe(espocrm.apiKey);
      expect(path).not.toContain(espocrm.apiKey);
    }
  });
});

describe('a try that fails at EspoCRM', () => {
  const lost = [
    ['hung', 'hang-after'],
    ['was cut', 'cut-after'],
    ['was malformed', 'malformed'],
    ['was huge', 'huge-after'],
    ['was cut in the middle', 'cut-body'],
  ] as const;

  test.each(lost)('when the lead was made and the response %s makes no second one', async (_how, kind) => {
    const { espocrm, delivery } = await openEspocrm();
    espocrm.faults.push({ on: leadCreation, kind });

    const error =
      kind === 'hang-after'
        ? await delivery.failOnce(1, 'the lead', () => espocrm.leads.length > 0)
        : await delivery.fail(1);

    expect(error).toMatchObject({ result: 'retry' });
    expect(await delivery.tryIt(2)).toBe(espocrm.leads[0]?.id);
    expect(espocrm.leads).toHaveLength(1);
    expect(espocrm.notes).toEqual([]);
  });

  test.each(lost)('when the note was made and the response %s makes no second one', async (_how, kind) => {
    const { espocrm, delivery } = await openEspocrm();
    espocrm.addLead(known);
    espocrm.faults.push({ on: noteCreation, kind });

    const error =
      kind === 'hang-after'
        ? await delivery.failOnce(1, 'the note', () => espocrm.notes.length > 0)
        : await delivery.fail(1);
    await delivery.tryIt(2);

    expect(error).toMatchObject({ result: 'retry' });
    expect(espocrm.leads).toHaveLength(1);
    expect(espocrm.notes).toHaveLength(1);
    expect(delivery.steps.get('note')).toBe(espocrm.notes[0]?.id);
  });

  test.each([
    ['responds with a server error', { kind: 'response', status: 500 }, 'espocrm-500'],
    ['never responds', { kind: 'hang-before' }, 'http-timed-out'],
    ['is slow without end', { kind: 'drip' }, 'http-timed-out'],
    ['responds with something else', { kind: 'malformed' }, 'espocrm-malformed-response'],
  ] as const)('because it %s is tried again', async (_how, fault, reason) => {
    const { espocrm, delivery } = await openEspocrm();
    espocrm.faults.push(fault);

    const error =
      reason === 'http-timed-out'
        ? await delivery.failOnce(1, 'the first call', () => espocrm.requests.length > 0)
        : await delivery.fail(1);
    await delivery.tryIt(2);

    expect(error).toMatchObject({ result: 'retry', reason });
    expect(espocrm.leads).toHaveLength(1);
  });

  test.each([
    ['website', 'ada@example.org'],
    ['emailAddress', '.ada@example.org'],
  ])('is dead when it requires a field that can’t be filled, and names it: %s', async (field, email) => {
    const { espocrm, provider } = await openEspocrm({ requiredFields: [field] });
    const reason = `espocrm-400-${field}-required`;

    const error = await makeDelivery(provider, makeLead({ email })).fail(1);

    expect(error).toMatchObject({ result: 'dead', reason, name: 'CrmError' });
    expect(espocrm.leads).toHaveLength(0);
  });

  test('repeats nothing of what EspoCRM responds about the lead', async () => {
    const { espocrm, delivery } = await openEspocrm();
    const data = { field: 'ada@example.org', type: 'Ada Lovelace' };
    const body = { messageTranslation: { label: 'validationFailure', data } };
    const headers = { 'x-status-reason': 'Ada Lovelace' };
    espocrm.faults.push({ on: leadCreation, ...respondWith(400, body, headers) });

    expect(await delivery.fail(1)).toMatchObject({ result: 'dead', reason: 'espocrm-400' });
  });

  test.each([
    ['a wrong key', { apiKey: 'wrong' }, {}, 'espocrm-401'],
    ['a right that is missing', {}, { rights: { create: 'no' } }, 'espocrm-403'],
    ['an address of something else', { url: 'elsewhere' }, {}, 'espocrm-404'],
  ] as const)('pauses the kind for %s', async (_what, changes, options, reason) => {
    const { espocrm, makeProvider } = await openEspocrm(options);
    const provider = makeProvider('url' in changes ? { url: `${espocrm.url}/elsewhere` } : changes);

    expect(await makeDelivery(provider, makeLead()).fail(1)).toMatchObject({ result: 'paused', reason });
    expect(espocrm.leads).toHaveLength(0);
  });

  test('pauses the kind for a redirect', async () => {
    const { espocrm, delivery } = await openEspocrm();
    espocrm.faults.push({ kind: 'redirect', to: `${espocrm.url}/elsewhere` });

    expect(await delivery.fail(1)).toMatchObject({ result: 'paused', reason: 'http-redirect' });
    expect(espocrm.requests.some(({ path }) => path === '/elsewhere')).toBe(false);
  });

  test('pauses the kind for as long as 429 asks', async () => {
    const { espocrm, delivery } = await openEspocrm();
    espocrm.faults.push({ kind: 'response', status: 429, headers: { 'retry-after': '7' } });

    expect(await delivery.fail(1)).toMatchObject({ result: 'retry', kindWaitsMs: 7000 });
  });
});

describe('the test of the settings for EspoCRM', () => {
  const { signal } = new AbortController();
  const contains = (text: string) => expect.stringContaining(text) as string;

  test('finds no error and creates nothing', async () => {
    const { espocrm, provider } = await openEspocrm();

    const results = await provider.test(signal);

    expect(results.map(({ check, state }) => [check, state])).toEqual([
      ['credentials', 'ok'],
      ['rights', 'ok'],
      ['fields', 'ok'],
    ]);
    expect(espocrm.requests.every(({ method }) => method === 'GET')).toBe(true);
  });

  test.each([
    ['a wrong key', {}, { apiKey: 'wrong-one' }, 'credentials', 'ESPOCRM_API_KEY'],
    ['a role without leads', { rights: 'none' }, {}, 'rights', 'create and read'],
    ['a right to create that is missing', { rights: { create: 'no' } }, {}, 'rights', 'create'],
    ['a field that may not be written', { readOnlyFields: ['description'] }, {}, 'rights', 'description'],
    ['a field that may not be seen', { hiddenFields: ['emailAddress'] }, {}, 'rights', 'emailAddress'],
    ['a field that must be filled', { requiredFields: ['website'] }, {}, 'fields', 'website'],
    ['a field that visitors may leave out', { requiredFields: ['phoneNumber'] }, {}, 'fields', 'phoneNumber'],
    ['an address where nothing listens', {}, { url: 'http://127.0.0.1:9' }, 'address', 'Nothing'],
  ] as const)('names %s, without a secret', async (_what, options, changes, check, words) => {
    const { makeProvider } = await openEspocrm(options);

    expectOneFailure(await makeProvider(changes).test(signal), { check, words, secret: /wrong-one/ });
  });

  test.each([
    ['create', 'no', { state: 'fail', isRefusal: true }],
    ['read', 'no', { state: 'fail', isRefusal: true }],
    ['read', 'own', { state: 'fail', detail: contains('only some leads (own)') }],
    ['read', 'team', { state: 'fail', detail: contains('only some leads (team)') }],
    ['stream', 'own', { state: 'fail', detail: contains('stream') }],
    // A new address needs no post: exports go on.
    ['stream', 'no', { state: 'fail', detail: contains('stream') }],
    ['edit', 'no', { state: 'ok', detail: contains('may not edit') }],
  ])('says of a role whose right to %s is “%s” what follows', async (action, level, result) => {
    const { espocrm, provider } = await openEspocrm();
    const Lead = { create: 'yes', read: 'all', edit: 'all', stream: 'all', [action]: level };
    espocrm.faults.push({ on: /App\/user/, ...respondWith(200, { acl: { table: { Lead } } }) });

    const rights = (await provider.test(signal)).find(({ check }) => check === 'rights');

    expect(rights).toEqual({ check: 'rights', ...result, detail: expect.any(String) as string });
    expect(rights).toMatchObject(result);
  });

  test.each([
    ['an address of something else', { status: 404 }, 'address', 'ESPOCRM_URL'],
    ['a page instead of a response', { status: 200, body: '<html>' }, 'address', 'ESPOCRM_URL'],
    ['a user that may do nothing', { status: 403 }, 'rights', 'role'],
    ['a limit', { status: 429 }, 'limits', 'later'],
    ['a fault of the server', { status: 502 }, 'address', '502'],
  ] as const)('names %s', async (_what, response, check, words) => {
    const { espocrm, provider } = await openEspocrm();
    espocrm.faults.push({ on: /App\/user/, kind: 'response', ...response });

    expect(await provider.test(signal)).toMatchObject([{ check, state: 'fail', detail: contains(words) }]);
  });

  test('doesn’t mind a version that shows no definitions of fields', async () => {
    const { espocrm, provider } = await openEspocrm();
    espocrm.faults.push({ on: /Metadata/, kind: 'response', status: 403 });

    expect((await provider.test(signal)).at(-1)).toMatchObject({ check: 'fields', state: 'ok' });
  });
});
