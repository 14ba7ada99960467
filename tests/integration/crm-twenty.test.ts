import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createTwentyProvider } from '../../shared/node/crm/twenty.ts';
import type { CrmRecord } from '../../shared/node/crm/crm-provider.ts';
import { Hour } from '../../shared/time.ts';
import { callCrm } from '../support/crm/call-crm.ts';
import { expectOneFailure, makeDelivery, makeSourcedRecord, openClient } from '../support/crm/crm-export.ts';
import { startFakeTwenty, type FakeTwentyOptions } from '../support/crm/fake-twenty.ts';
import { makeQueryTimeout } from '../support/crm/twenty-fields.ts';

/** With a number that has its country code. */
const makeLead = (changes: Partial<CrmRecord> = {}) => makeSourcedRecord({ phone: '+43 (0)1 234 567', ...changes });

const later = { submission_id: '0198b7f0-6a3c-4c1e-9d52-000000000002' };

async function openTwenty(options?: FakeTwentyOptions) {
  const twenty = await startFakeTwenty(options);
  onTestFinished(() => twenty.close());
  const makeProvider = (changes: { apiKey?: string; url?: string } = {}) =>
    createTwentyProvider(
      { provider: 'twenty', url: twenty.url, apiKey: twenty.apiKey, ...changes },
      openClient(),
    );
  const provider = makeProvider();
  const count = () => ({
    companies: twenty.companies.length,
    people: twenty.people.length,
    notes: twenty.notes.length,
    noteTargets: twenty.noteTargets.length,
  });

  return { twenty, provider, makeProvider, count, delivery: makeDelivery(provider, makeLead()) };
}

const one = { companies: 1, people: 1, notes: 1, noteTargets: 1 };
const creations = [
  ['company', 'companies', /^POST \/rest\/companies/],
  ['person', 'people', /^POST \/rest\/people/],
  ['note', 'notes', /^POST \/rest\/notes/],
  ['link to the person', 'noteTargets', /^POST \/rest\/noteTargets/],
] as const;

const readMarkdown = (note: Record<string, unknown> | undefined) =>
  (note?.['bodyV2'] as { markdown?: string } | undefined)?.markdown ?? '';

describe('an export to Twenty', () => {
  test('makes company, person and note, each with its fields', async () => {
    const { twenty, delivery, count } = await openTwenty();

    const id = await delivery.tryIt(1);

    expect(count()).toEqual(one);
    expect(twenty.companies[0]).toMatchObject({ name: 'Sweets & <Sons>' });
    expect(twenty.people[0]).toMatchObject({
      id,
      name: { firstName: 'Ada King', lastName: 'Lovelace' },
      emails: { primaryEmail: 'ada@example.org' },
      phones: { primaryPhoneNumber: '1234567', primaryPhoneCallingCode: '+43' },
      companyId: twenty.companies[0]?.id,
    });
    expect(twenty.notes[0]).toMatchObject({ title: 'Sweets & <Sons>: assessment request' });
    expect(twenty.noteTargets[0]).toMatchObject({ noteId: twenty.notes[0]?.id, targetPersonId: id });
  });

  test('writes all that was typed into the note, in which Markdown hides nothing', async () => {
    const { twenty, delivery } = await openTwenty();

    await delivery.tryIt(1);

    const markdown = readMarkdown(twenty.notes[0]);
    for (const part of [
      'Our factory is \\<slow>.  \nCan you "help"?',
      '- Name: Ada King Lovelace',
      '- Email: Ada@Example.org',
      '- Company: Sweets & \\<Sons>',
      '- Phone: +43 (0)1 234 567',
      '- Industry: Retail & E-commerce',
      '- Campaign source: newsletter',
      '- Campaign medium: mail',
      '- Campaign: autumn',
      '- Referring site: searching.example',
      '- First page of the visit: /education',
      `- Reference: ${makeLead().submission_id}`,
    ]) {
      expect(markdown).toContain(part);
    }
  });

  test('works without the optional fields', async () => {
    const { twenty, provider } = await openTwenty();
    const left = { name: 'Ada', phone: null, industry: null, industry_label: null, message: null, source: {} };

    await makeDelivery(provider, makeLead(left)).tryIt(1);

    expect(twenty.people[0]).toMatchObject({
      name: { firstName: '', lastName: 'Ada' },
      phones: { primaryPhoneNumber: '' },
    });
    expect(readMarkdown(twenty.notes[0])).not.toMatch(/null|undefined|Industry/);
  });

  test('uses the person and the company that exist, as they are', async () => {
    const { twenty, provider, delivery, count } = await openTwenty();
    await delivery.tryIt(1);
    const other = { ...later, name: 'Mallory', email: 'ADA@example.org', company: 'SWEETS & <sons>', phone: '+44 1' };

    await makeDelivery(provider, makeLead(other)).tryIt(1);

    expect(count()).toEqual({ ...one, notes: 2, noteTargets: 2 });
    expect(twenty.companies[0]).toMatchObject({ name: 'Sweets & <Sons>' });
    expect(twenty.people[0]).toMatchObject({
      name: { firstName: 'Ada King', lastName: 'Lovelace' },
      phones: { primaryPhoneCallingCode: '+43' },
    });
    expect(readMarkdown(twenty.notes[1])).toContain('- Name: Mallory');
  });

  test('fills what a known person has no value of, and changes nothing else', async () => {
    const { twenty, provider, count } = await openTwenty();
    await makeDelivery(provider, makeLead({ phone: null })).tryIt(1);
    const [ada] = twenty.people;
    if (ada) ada['companyId'] = null;

    await makeDelivery(provider, makeLead({ ...later, name: 'Mallory', company: 'Other' })).tryIt(1);

    expect(count()).toMatchObject({ people: 1, companies: 2 });
    expect(twenty.people[0]).toMatchObject({
      name: { firstName: 'Ada King', lastName: 'Lovelace' },
      phones: { primaryPhoneNumber: '1234567' },
      companyId: twenty.companies[1]?.id,
    });
  });

  test.each([
    '"Sweets", Inc.',
    'Sweets (UK',
    'Sweets) or',
    "O'Brien, Sons",
    'a",name[neq]:"',
    '100 % [Sweets]',
    'Sweets_ \\ Sons',
  ])('finds a company again whose name means something in a filter: %s', async (company) => {
    const { provider, count } = await openTwenty();
    await makeDelivery(provider, makeLead({ company: 'Another' })).tryIt(1);

    await makeDelivery(provider, makeLead({ ...later, company })).tryIt(1);
    await makeDelivery(provider, makeLead({ ...later, company })).tryIt(2);

    expect(count()).toEqual({ companies: 2, people: 1, notes: 2, noteTargets: 2 });
  });

  test('finds a company again among many whose names are alike, however much Twenty has of each', async () => {
    const { twenty, provider, count } = await openTwenty();
    const company = 'Sweets (UK';
    const xLink = { primaryLinkUrl: `https://example.com/${'x'.repeat(2_000)}` };
    const alike = Array.from({ length: 50 }, (_, index) => ({ name: company.replace('(', String.fromCodePoint(0x100 + index)), xLink }));
    const headers = { authorization: `Bearer ${twenty.apiKey}` };
    await callCrm('POST', `${twenty.url}/rest/batch/companies`, headers, [...alike, { name: company }]);

    await makeDelivery(provider, makeLead({ company })).tryIt(1);

    expect(count()).toEqual({ ...one, companies: 51 });
  });

  test('finds a person whose address has an apostrophe or another script', async () => {
    const { provider, count } = await openTwenty();
    for (const email of ["o'brien@example.org", 'ada@bücher.example']) {
      await makeDelivery(provider, makeLead({ submission_id: randomUUID(), email })).tryIt(1);
      await makeDelivery(provider, makeLead({ submission_id: randomUUID(), email })).tryIt(1);
    }

    expect(count()).toMatchObject({ people: 2 });
  });

  test('leaves a phone number that Twenty refuses to the note', async () => {
    const { twenty, delivery } = await openTwenty();
    const body = JSON.stringify({ statusCode: 400, messages: ['Provided phone number is invalid +431234567'] });
    twenty.faults.push({ on: /^POST \/rest\/people/, kind: 'response', status: 400, body });

    await delivery.tryIt(1);

    expect(twenty.people[0]).toMatchObject({ phones: { primaryPhoneNumber: '' } });
    expect(readMarkdown(twenty.notes[0])).toContain('- Phone: +43 (0)1 234 567');
  });

  test.each([
    ['and without the number that it refuses too', '+43 (0)1 234 567', true],
    ['of a visitor who left no number', null, false],
  ])('makes one person without the address that Twenty refuses, %s, and the note has it', async (_what, phone, isRefused) => {
    const { twenty, provider, count } = await openTwenty();
    const { tryIt, fail, steps } = makeDelivery(provider, makeLead({ email: '.Ada@example.org', phone }));
    const on = /^POST \/rest\/people/;
    const body = JSON.stringify({ statusCode: 400, messages: ['Provided phone number is invalid'] });
    const asItDoes = { on, kind: 'slow', ms: 0 } as const;
    if (isRefused) twenty.faults.push(asItDoes, { on, kind: 'response', status: 400, body });
    else twenty.faults.push(asItDoes);
    twenty.faults.push({ on, kind: 'cut-after' });

    await fail(1);
    expect(steps.get('person')).toBeUndefined();
    const id = await tryIt(2);

    expect(count()).toEqual(one);
    expect(twenty.people).toMatchObject([{ id, emails: { primaryEmail: '' }, name: { lastName: 'Lovelace' } }]);
    expect(readMarkdown(twenty.notes[0])).toContain('- Email: .Ada@example.org');
  });

  test('links the note by the older name of the field where the newer is unknown', async () => {
    const { twenty, delivery, count } = await openTwenty({ noteTargetFields: 'old' });

    const id = await delivery.tryIt(1);

    expect(count()).toEqual(one);
    expect(twenty.noteTargets[0]).toMatchObject({ noteId: twenty.notes[0]?.id, personId: id });
  });

  test('leaves a person whom sales has deleted in the bin, and makes another without the address', async () => {
    const { twenty, provider, delivery, count } = await openTwenty();
    const deletedId = (await delivery.tryIt(1)) ?? '';
    twenty.binRecord(deletedId);

    const id = await makeDelivery(provider, makeLead(later)).tryIt(1);

    expect(count()).toMatchObject({ people: 2, notes: 2 });
    expect(twenty.people).toMatchObject([
      { id: deletedId, deletedAt: expect.any(String) as string },
      { id, deletedAt: null, emails: { primaryEmail: '' }, name: { lastName: 'Lovelace' } },
    ]);
    expect(readMarkdown(twenty.notes[1])).toContain('- Email: Ada@Example.org');
  });

  test('sends the key in its header, never in the address', async () => {
    const { twenty, delivery } = await openTwenty();

    await delivery.tryIt(1);

    expect(twenty.requests.length).toBeGreaterThan(5);
    for (const { headers, path } of twenty.requests) {
      expect(headers['authorization']).toBe(`Bearer ${twenty.apiKey}`);
      expect(path).not.toContain(twenty.apiKey);
    }
  });
});

describe('a try that fails at Twenty', () => {
  test.each(creations)('resumes after a server error at the %s, repeating nothing', async (_what, _objects, on) => {
    const { twenty, delivery, count } = await openTwenty();
    twenty.faults.push({ on, kind: 'response', status: 500 });

    const error = await delivery.fail(1);
    await delivery.tryIt(2);

    expect(error).toMatchObject({ result: 'retry', reason: 'twenty-500' });
    expect(count()).toEqual(one);
    expect(twenty.requests.filter(({ method }) => method === 'POST')).toHaveLength(5);
  });

  test.each(creations)('is tried again after a fault of its own at the %s, which has status 400', async (_what, _objects, on) => {
    const { twenty, delivery, count } = await openTwenty();
    // A second one meets the try without the phone number.
    twenty.faults.push(makeQueryTimeout(on), ...(on.test('POST /rest/people') ? [makeQueryTimeout(on)] : []));

    expect(await delivery.fail(1)).toMatchObject({ result: 'retry', reason: 'twenty-400' });
    await delivery.tryIt(2);

    expect(count()).toEqual(one);
  });

  test('is dead for a record of an earlier try that is gone, so that all is looked up again', async () => {
    const { twenty, delivery } = await openTwenty();
    twenty.faults.push({ on: /^POST \/rest\/noteTargets/, kind: 'response', status: 500 });
    await delivery.fail(1);
    const headers = { authorization: `Bearer ${twenty.apiKey}` };
    await callCrm('DELETE', `${twenty.url}/rest/people/${delivery.steps.get('person')}`, headers);

    expect(await delivery.fail(2)).toMatchObject({ result: 'dead', reason: 'twenty-400' });
  });

  describe.each(creations)('when the %s was created and the response was lost', (_what, objects, on) => {
    test.each([
      ['hung', 'hang-after', 'http-timed-out'],
      ['was cut', 'cut-after', /^http-/],
      ['was malformed', 'malformed', 'twenty-malformed-response'],
      ['was huge', 'huge-after', 'http-response-too-large'],
    ] as const)('because it %s creates nothing twice', async (_how, kind, reason) => {
      const { twenty, delivery, count } = await openTwenty();
      twenty.faults.push({ on, kind });

      const error =
        kind === 'hang-after'
          ? await delivery.failOnce(1, objects, () => twenty[objects].length > 0)
          : await delivery.fail(1);
      const id = await delivery.tryIt(2);

      expect(error.result).toBe('retry');
      expect(error.reason).toMatch(reason);
      expect(count()).toEqual(one);
      expect(id).toBe(twenty.people[0]?.id);
    });
  });

  test.each([
    ['whose worker was killed before it recorded anything', 2],
    ['that a restored backup knows nothing of', 1],
  ])('and %s creates nothing twice', async (_what, attempt) => {
    const { delivery, count } = await openTwenty();
    await delivery.tryIt(1);
    delivery.steps.clear();

    await delivery.tryIt(attempt);

    expect(count()).toEqual(one);
  });

  test.each([
    ['hangs', { kind: 'hang-before' }, 'http-timed-out'],
    ['is slow without end', { kind: 'drip' }, 'http-timed-out'],
  ] as const)('because the response %s is tried again', async (_how, fault, reason) => {
    const { twenty, delivery, count } = await openTwenty();
    twenty.faults.push(fault);

    const error = await delivery.failOnce(1, 'the first call', () => twenty.requests.length > 0);
    await delivery.tryIt(2);

    expect(error).toMatchObject({ result: 'retry', reason });
    expect(count()).toEqual(one);
  });

  test('repeats nothing of what Twenty responds about the lead', async () => {
    const { twenty, delivery } = await openTwenty();
    const body = JSON.stringify({
      statusCode: 400,
      error: 'Ada Lovelace',
      messages: ['Invalid email value "ada@example.org"'],
    });
    twenty.faults.push({ on: /^POST \/rest\/notes/, kind: 'response', status: 400, body });

    expect(await delivery.fail(1)).toMatchObject({ result: 'dead', reason: 'twenty-400' });
  });

  test('is dead for a value that breaks a rule of the workspace, whatever the rule says', async () => {
    const { twenty, delivery } = await openTwenty();
    const rule = { statusCode: 400, code: 'VALIDATION_RULE_VIOLATION', messages: ['This title already exists'] };
    twenty.faults.push({ on: /^POST \/rest\/notes/, kind: 'response', status: 400, body: JSON.stringify(rule) });

    expect(await delivery.fail(1)).toMatchObject({ result: 'dead', reason: 'twenty-400-VALIDATION_RULE_VIOLATION' });
  });

  test.each([
    ['a wrong key', { apiKey: 'wrong' }, {}, 'twenty-401-UNAUTHENTICATED'],
    ['a right that is missing', {}, { forbidden: ['notes/create'] }, 'twenty-403'],
    ['one that is refused with 403', {}, { forbidden: ['people/read'], forbiddenStatus: 403 }, 'twenty-403'],
  ] as const)('pauses the kind for %s', async (_what, changes, options, reason) => {
    const { makeProvider } = await openTwenty(options);

    const error = await makeDelivery(makeProvider(changes), makeLead()).fail(1);

    expect(error).toMatchObject({ result: 'paused', reason });
  });

  test('pauses the kind for a plan that is used up, a key that has expired, and a redirect', async () => {
    const { twenty, delivery } = await openTwenty();
    twenty.faults.push({ kind: 'response', status: 402 });
    expect(await delivery.fail(1)).toMatchObject({ result: 'paused', reason: 'twenty-402' });
    twenty.faults.push({ kind: 'redirect', to: `${twenty.url}/elsewhere` });
    expect(await delivery.fail(1)).toMatchObject({ result: 'paused', reason: 'http-redirect' });
    twenty.expireKey();
    expect(await delivery.fail(1)).toMatchObject({ result: 'paused', reason: 'twenty-401-UNAUTHENTICATED' });
  });

  test('pauses the kind for as long as the limit asks, six hours at most, or its window of a minute', async () => {
    const { twenty, delivery } = await openTwenty();
    const respond = (headers: Record<string, string>, body: object) =>
      twenty.faults.push({ kind: 'response', status: 429, headers, body: JSON.stringify(body) });

    respond({ 'retry-after': '7' }, {});
    expect(await delivery.fail(1)).toMatchObject({ result: 'retry', kindWaitsMs: 7000 });
    respond({}, { retryAfterSeconds: 20 });
    expect(await delivery.fail(1)).toMatchObject({ result: 'retry', kindWaitsMs: 20_000 });
    respond({}, {});
    expect(await delivery.fail(1)).toMatchObject({ result: 'retry', kindWaitsMs: 60_000 });
    // Milliseconds by mistake, say.
    respond({}, { retryAfterSeconds: 10_000_000 });
    expect(await delivery.fail(1)).toMatchObject({ result: 'retry', kindWaitsMs: 6 * Hour });
  });
});

describe('the test of the settings for Twenty', () => {
  const { signal } = new AbortController();
  const contains = (text: string) => expect.stringContaining(text) as string;

  test('finds no error and creates nothing', async () => {
    const { twenty, provider, count } = await openTwenty();

    const results = await provider.test(signal);

    expect(results.map(({ check, state }) => [check, state])).toEqual([
      ['credentials', 'ok'],
      ['rights', 'ok'],
      ['key', 'ok'],
    ]);
    expect(count()).toEqual({ companies: 0, people: 0, notes: 0, noteTargets: 0 });
    expect(twenty.requests.every(({ method }) => method === 'GET')).toBe(true);
  });

  test.each([
    ['long before', 60, 'ok'],
    ['shortly before', 5, 'warn'],
  ])('reports on which day the key expires, and %s whether that matters yet', async (_when, days, state) => {
    const { provider, makeProvider, twenty } = await openTwenty();
    const end = new Date(Date.now() + days * 24 * 60 * 60 * 1000);
    const claims = JSON.stringify({ exp: Math.floor(end.getTime() / 1000) });
    const apiKey = `e30.${Buffer.from(claims).toString('base64url')}.e30`;
    for (const name of ['people', 'companies', 'notes', 'noteTargets']) {
      const body = JSON.stringify({ data: { [name]: [] } });
      twenty.faults.push({ on: new RegExp(`/rest/${name}\\?`), kind: 'response', status: 200, body });
    }

    expect((await makeProvider({ apiKey }).test(signal)).at(-1)).toEqual({
      check: 'key',
      state,
      detail: contains(end.toISOString().slice(0, 10)),
    });
    expect((await provider.test(signal)).at(-1)?.detail).toContain('doesn’t say');
  });

  test.each([
    ['a wrong key', {}, { apiKey: 'wrong-one' }, 'credentials', 'TWENTY_API_KEY'],
    ['a right to read that is missing', { forbidden: ['notes/read'] }, {}, 'rights', 'role'],
    ['an address where nothing listens', {}, { url: 'http://127.0.0.1:9' }, 'address', 'Nothing'],
  ])('names %s, without a secret', async (_what, options, changes, check, words) => {
    const { makeProvider } = await openTwenty(options);

    expectOneFailure(await makeProvider(changes).test(signal), { check, words, secret: /wrong-one/ });
  });

  test.each([
    ['an address of something else', { status: 404 }, 'address', 'TWENTY_URL'],
    ['a page instead of a response', { status: 200, body: '<html>' }, 'address', 'TWENTY_URL'],
    ['a plan that is used up', { status: 402 }, 'plan', 'quota'],
    ['a limit', { status: 429 }, 'limits', 'later'],
    ['a fault of the server', { status: 502 }, 'address', '502'],
  ] as const)('names %s', async (_what, response, check, words) => {
    const { twenty, provider } = await openTwenty();
    twenty.faults.push({ kind: 'response', ...response });

    expect(await provider.test(signal)).toMatchObject([{ check, state: 'fail', detail: contains(words) }]);
  });
});
