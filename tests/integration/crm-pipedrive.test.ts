import { describe, expect, onTestFinished, test } from 'vitest';
import { createPipedriveProvider } from '../../shared/node/crm/pipedrive.ts';
import { makeDelivery, makeSourcedRecord, openClient } from '../support/crm/crm-export.ts';
import { startFakePipedrive, type FakePipedriveOptions } from '../support/crm/fake-pipedrive.ts';

async function openPipedrive(options?: FakePipedriveOptions) {
  const pipedrive = await startFakePipedrive(options);
  onTestFinished(() => pipedrive.close());
  const makeProvider = (changes: { token?: string; baseUrl?: string } = {}) =>
    createPipedriveProvider(
      { provider: 'pipedrive', baseUrl: pipedrive.url, token: pipedrive.token, ...changes },
      openClient(),
    );
  const provider = makeProvider();
  const count = () => ({
    organizations: pipedrive.organizations.length,
    persons: pipedrive.persons.length,
    leads: pipedrive.leads.length,
    notes: pipedrive.notes.length,
  });

  return { pipedrive, provider, makeProvider, count, delivery: makeDelivery(provider, makeSourcedRecord()) };
}

type Opened = Awaited<ReturnType<typeof openPipedrive>>;

/** A first try that fails for this reason. */
const failWith = (pipedrive: Opened['pipedrive'], delivery: Opened['delivery'], reason: string | RegExp) =>
  reason === 'http-timed-out' ? delivery.failByTimeout(1, pipedrive.faults) : delivery.fail(1);

const one = { organizations: 1, persons: 1, leads: 1, notes: 1 };
const creations = [
  ['organization', /^POST .*\/organizations/],
  ['person', /^POST .*\/persons/],
  ['lead', /^POST .*\/leads/],
  ['note', /^POST .*\/notes/],
] as const;

describe('an export to Pipedrive', () => {
  test('makes organization, person, lead and note, each with its fields', async () => {
    const { pipedrive, delivery } = await openPipedrive();

    const id = await delivery.tryIt(1);

    const [lead] = pipedrive.leads;
    expect(id).toBe(lead?.id);
    expect(pipedrive.organizations).toEqual([{ id: 1, name: 'Sweets & <Sons>' }]);
    expect(pipedrive.persons).toEqual([
      {
        id: 1,
        name: 'Ada King Lovelace',
        emails: [{ value: 'ada@example.org', primary: true, label: 'work' }],
        phones: [{ value: '+1 555 0100', primary: true, label: 'work' }],
        org_id: 1,
      },
    ]);
    expect(lead).toMatchObject({
      title: 'Sweets & <Sons>: assessment request',
      person_id: 1,
      organization_id: 1,
      origin_id: makeSourcedRecord().submission_id,
    });
    expect(pipedrive.notes).toMatchObject([{ id: 1, lead_id: lead?.id }]);
  });

  test('writes message, company, industry and source into the note, escaped', async () => {
    const { pipedrive, delivery } = await openPipedrive();

    await delivery.tryIt(1);

    const content = pipedrive.notes[0]?.content ?? '';
    expect(content).toContain('<p>Our factory is &lt;slow&gt;.<br>Can you &quot;help&quot;?</p>');
    for (const row of [
      '<b>Name:</b> Ada King Lovelace',
      '<b>Email:</b> Ada@Example.org',
      '<b>Company:</b> Sweets &amp; &lt;Sons&gt;',
      '<b>Phone:</b> +1 555 0100',
      '<b>Industry:</b> Retail &amp; E-commerce',
      '<b>Campaign source:</b> newsletter',
      '<b>Campaign medium:</b> mail',
      '<b>Campaign:</b> autumn',
      '<b>Referring site:</b> searching.example',
      '<b>First page of the visit:</b> /education',
    ]) {
      expect(content).toContain(row);
    }
  });

  test('works without the optional fields', async () => {
    const { pipedrive, provider } = await openPipedrive();
    const left = { phone: null, industry: null, industry_label: null, message: null, source: {} };

    await makeDelivery(provider, makeSourcedRecord(left)).tryIt(1);

    expect(pipedrive.persons[0]).not.toHaveProperty('phones');
    expect(pipedrive.notes[0]?.content).not.toMatch(/null|undefined|Industry|<p><\/p>/);
  });

  test('uses the person and the organization that exist, as they are', async () => {
    const { pipedrive, provider, count } = await openPipedrive();
    await makeDelivery(provider, makeSourcedRecord()).tryIt(1);
    const later = makeSourcedRecord({
      submission_id: '0198b7f0-6a3c-4c1e-9d52-000000000002',
      name: 'A. Example',
      email: 'ADA@example.org',
      phone: null,
    });

    await makeDelivery(provider, later).tryIt(1);

    expect(count()).toEqual({ ...one, leads: 2, notes: 2 });
    expect(pipedrive.persons[0]?.name).toBe('Ada King Lovelace');
    expect(pipedrive.leads[1]?.person_id).toBe(1);
  });

  test('fills what a known person has no value of, and changes nothing else', async () => {
    const { pipedrive, provider, count } = await openPipedrive();
    const bare = makeSourcedRecord({ phone: null });
    await makeDelivery(provider, bare).tryIt(1);
    const later = { submission_id: '0198b7f0-6a3c-4c1e-9d52-000000000002', name: 'Mallory' };

    await makeDelivery(provider, makeSourcedRecord({ ...later, phone: '+44 1' })).tryIt(1);
    await makeDelivery(provider, makeSourcedRecord({ ...later, phone: '+44 2', company: 'Other' })).tryIt(1);

    expect(count()).toMatchObject({ organizations: 2, persons: 1 });
    expect(pipedrive.persons).toMatchObject([
      {
        name: 'Ada King Lovelace',
        phones: [{ value: '+44 1', primary: true, label: 'work' }],
        org_id: 1,
      },
    ]);
    expect(pipedrive.notes.at(-1)?.content).toContain('<b>Phone:</b> +44 2');
  });

  test('sends the token in its header, never in the address', async () => {
    const { pipedrive, delivery } = await openPipedrive();

    await delivery.tryIt(1);

    expect(pipedrive.requests.length).toBeGreaterThan(5);
    for (const { headers, path } of pipedrive.requests) {
      expect(headers['x-api-token']).toBe(pipedrive.token);
      expect(path).not.toContain(pipedrive.token);
    }
  });
});

describe('a try that fails at Pipedrive', () => {
  test.each(creations)('resumes after a server error at the %s, repeating nothing', async (_what, on) => {
    const { pipedrive, delivery, count } = await openPipedrive();
    pipedrive.faults.push({ on, kind: 'response', status: 500 });

    const error = await delivery.fail(1);
    await delivery.tryIt(2);

    expect(error).toMatchObject({ result: 'retry', reason: 'pipedrive-500', name: 'CrmError' });
    expect(count()).toEqual(one);
    expect(pipedrive.requests.filter(({ method }) => method === 'POST')).toHaveLength(5);
  });

  test('repeats no step that an earlier try has recorded', async () => {
    const { pipedrive, delivery } = await openPipedrive();
    pipedrive.faults.push({ on: /^POST .*\/notes/, kind: 'response', status: 500 });
    await delivery.fail(1);
    const before = pipedrive.requests.length;

    await delivery.tryIt(2);

    const later = pipedrive.requests.slice(before);
    expect(later.map(({ method, path }) => `${method} ${path.split('?')[0]}`)).toEqual([
      'GET /v1/notes',
      'POST /v1/notes',
    ]);
  });

  describe.each(creations)('when the %s was created and the response was lost', (_what, on) => {
    test.each([
      ['hung', 'hang-after', 'http-timed-out'],
      ['was cut', 'cut-after', /^http-/],
      ['was malformed', 'malformed', 'pipedrive-malformed-response'],
      ['was huge', 'huge-after', 'http-response-too-large'],
      ['was cut in the middle', 'cut-body', /^http-(?!response)/],
      ['stalled', 'stall-body', 'http-timed-out'],
    ] as const)('because it %s creates nothing twice', async (_how, kind, reason) => {
      const { pipedrive, delivery, count } = await openPipedrive();
      pipedrive.faults.push({ on, kind });

      const error = await failWith(pipedrive, delivery, reason);
      const id = await delivery.tryIt(2);

      expect(error.result).toBe('retry');
      expect(error.reason).toMatch(reason);
      expect(count()).toEqual(one);
      expect(id).toBe(pipedrive.leads[0]?.id);
    });
  });

  test('and whose worker was killed before it recorded anything creates nothing twice', async () => {
    const { delivery, count } = await openPipedrive();
    await delivery.tryIt(1);
    delivery.steps.clear();

    await delivery.tryIt(2);

    expect(count()).toEqual(one);
  });

  test('finds its lead also where sales has archived it since', async () => {
    const { pipedrive, delivery, count } = await openPipedrive();
    pipedrive.faults.push({ on: /^POST .*\/leads/, kind: 'cut-after' });
    await delivery.fail(1);
    pipedrive.archiveLead(pipedrive.leads[0]?.id ?? '');

    expect(await delivery.tryIt(2)).toBe(pipedrive.leads[0]?.id);

    expect(count()).toEqual(one);
  });

  test.each([
    ['is slow without end', { kind: 'drip' }, 'http-timed-out'],
    ['hangs', { kind: 'hang-before' }, 'http-timed-out'],
  ] as const)('because the response %s is tried again', async (_how, fault, reason) => {
    const { pipedrive, delivery, count } = await openPipedrive();
    pipedrive.faults.push(fault);

    const error = await failWith(pipedrive, delivery, reason);
    await delivery.tryIt(2);

    expect(error).toMatchObject({ result: 'retry', reason });
    expect(count()).toEqual(one);
  });

  test('is dead when Pipedrive misses a required field', async () => {
    const { provider, count } = await openPipedrive();
    const nameless = makeSourcedRecord({ name: '' });

    const error = await makeDelivery(provider, nameless).fail(1);

    expect(error).toMatchObject({ result: 'dead', reason: 'pipedrive-400' });
    expect(count().leads).toBe(0);
  });

  test('is dead when the plan allows no more leads, and reports it', async () => {
    const { delivery } = await openPipedrive({ leadCap: 0 });

    expect(await delivery.fail(1)).toMatchObject({
      result: 'dead',
      reason: 'pipedrive-403-feature_capping_deals_limit',
    });
  });

  test.each([
    ['the company account is not open', 402, 'plan'],
    ['the version of the API has ended', 410, 'address'],
  ])('pauses the kind while %s', async (_what, status, check) => {
    const { pipedrive, delivery, provider } = await openPipedrive();
    const isNotOpen = { kind: 'response', status } as const;
    pipedrive.faults.push(isNotOpen, isNotOpen);

    expect(await delivery.fail(1)).toMatchObject({ result: 'paused', reason: `pipedrive-${status}` });
    expect(await provider.test(new AbortController().signal)).toMatchObject([{ check, state: 'fail', isRefusal: true }]);
  });

  test.each(['retry-after', 'x-ratelimit-reset'])('pauses the kind for as long as 429 asks by %s', async (header) => {
    const { pipedrive, delivery } = await openPipedrive();
    pipedrive.faults.push({ kind: 'response', status: 429, headers: { [header]: '7' } });

    expect(await delivery.fail(1)).toMatchObject({ result: 'retry', kindWaitsMs: 7000 });
  });

  test('treats a 403 without a code as the limit after 429, as wrong credentials otherwise', async () => {
    const rateLimit = { calls: 0, windowMs: 60_000 };
    const limited = await openPipedrive({ rateLimit, refusalsBeforeBlock: 1 });

    expect(await limited.delivery.fail(1)).toMatchObject({ reason: 'pipedrive-429' });
    for (const attempt of [2, 3]) {
      const error = await limited.delivery.fail(attempt);
      expect(error).toMatchObject({ result: 'retry', reason: 'pipedrive-403-limit' });
      expect(error.kindWaitsMs).toBeGreaterThan(0);
    }
  });

  test('decides on a 403 by its own export, whatever other exports got at the same time', async () => {
    const { pipedrive, provider, delivery: limited } = await openPipedrive();
    const forbidden = makeDelivery(provider, makeSourcedRecord());
    const passing = makeDelivery(provider, makeSourcedRecord());
    const response = (status: number) => pipedrive.faults.push({ kind: 'response', status });

    response(429);
    await limited.fail(1);
    response(403);
    expect(await forbidden.fail(1)).toMatchObject({ result: 'paused', reason: 'pipedrive-403' });
    await passing.tryIt(1);
    response(403);
    expect(await limited.fail(2)).toMatchObject({ result: 'retry', reason: 'pipedrive-403-limit' });
  });

  test('pauses the kind for a wrong token or a redirect', async () => {
    const { pipedrive, delivery, makeProvider } = await openPipedrive();
    const wrong = makeDelivery(makeProvider({ token: 'wrong' }), makeSourcedRecord());

    expect(await wrong.fail(1)).toMatchObject({
      result: 'paused',
      reason: 'pipedrive-401',
    });
    pipedrive.faults.push({ kind: 'redirect', to: `${pipedrive.url}/elsewhere` });
    expect(await delivery.fail(1)).toMatchObject({
      result: 'paused',
      reason: 'http-redirect',
    });
    expect(pipedrive.requests.some(({ path }) => path === '/elsewhere')).toBe(false);
  });

  test('repeats nothing of what Pipedrive responds about the lead', async () => {
    const { pipedrive, delivery } = await openPipedrive();
    const body = JSON.stringify({
      success: false,
      error: 'Ada Example <ada@example.org> is wrong',
      code: 'wrong: ada@example.org',
    });
    pipedrive.faults.push({ kind: 'response', status: 400, body });

    expect(await delivery.fail(1)).toMatchObject({ result: 'dead', reason: 'pipedrive-400' });
  });
});

describe('the test of the settings for Pipedrive', () => {
  const signal = AbortSignal.timeout(60_000);

  test('finds no error and creates nothing', async () => {
    const { pipedrive, provider, count } = await openPipedrive();

    const results = await provider.test(signal);

    expect(results.map(({ check, state }) => [check, state])).toEqual([
      ['credentials', 'ok'],
      ['rights', 'ok'],
    ]);
    expect(count()).toEqual({ organizations: 0, persons: 0, leads: 0, notes: 0 });
    expect(pipedrive.requests.every(({ method }) => method === 'GET')).toBe(true);
  });

  test('names a wrong token without repeating it', async () => {
    const { makeProvider } = await openPipedrive();

    const results = await makeProvider({ token: 'wrong-one' }).test(signal);

    expect(results).toMatchObject([
      {
        check: 'credentials',
        state: 'fail',
        detail: expect.stringContaining('PIPEDRIVE_TOKEN') as string,
      },
    ]);
    expect(JSON.stringify(results)).not.toContain('wrong-one');
  });

  test.each([
    ['a missing right', { status: 403 }, 'rights', '403'],
    ['an address of something else', { status: 404 }, 'address', 'PIPEDRIVE_BASE_URL'],
    ['a page instead of a response', { status: 200, body: '<html>' }, 'address', 'PIPEDRIVE_BASE_URL'],
    ['a limit', { status: 429 }, 'limits', 'later'],
    ['a fault of the server', { status: 502 }, 'address', '502'],
  ] as const)('names %s', async (_what, response, check, words) => {
    const { pipedrive, provider } = await openPipedrive();
    pipedrive.faults.push({ on: /organizations/, kind: 'response', ...response });

    const results = await provider.test(signal);

    expect(results.map(({ state }) => state)).toEqual(['ok', 'fail']);
    expect(results[1]).toMatchObject({ check, detail: expect.stringContaining(words) as string });
  });

  test('names an address where nothing listens', async () => {
    const { makeProvider } = await openPipedrive();

    expect(await makeProvider({ baseUrl: 'http://127.0.0.1:9' }).test(signal)).toMatchObject([
      { check: 'address', state: 'fail' },
    ]);
  });
});
