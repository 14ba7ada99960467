import { expect, onTestFinished, test } from 'vitest';
import { callCrm } from '../../support/crm/call-crm.ts';
import { startFakeHubspot, type FakeHubspotOptions } from '../../support/crm/fake-hubspot.ts';

const upsertPath = '/crm/v3/objects/contacts/batch/upsert';

async function setUp(options: FakeHubspotOptions = {}) {
  const crm = await startFakeHubspot(options);
  onTestFinished(() => crm.close());
  const call = (method: string, path: string, body?: unknown, headers = {}) =>
    callCrm(method, crm.url + path, { authorization: `Bearer ${crm.token}`, ...headers }, body);

  return { crm, call };
}

const makeInput = (email: string, more: Record<string, string> = {}) => ({
  id: email,
  idProperty: 'email',
  properties: { email, ...more },
});

const makeNote = (contactId: string, more: Record<string, unknown> = {}) => ({
  properties: { hs_timestamp: '2026-11-21T10:00:00Z', hs_note_body: 'Hello', ...more },
  associations: [
    {
      to: { id: contactId },
      types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 202 }],
    },
  ],
});

test('HubSpot upserts by e-mail: new once, the same contact after, whatever its case', async () => {
  const { crm, call } = await setUp();

  const first = await call('POST', upsertPath, { inputs: [makeInput('a@b.cd', { company: 'X' })] });
  const second = await call('POST', '/crm/objects/2026-03/contacts/batch/upsert', {
    inputs: [makeInput('A@b.cd', { firstname: 'Ada', company: '' })],
  });

  expect(first).toMatchObject({ status: 200, body: { results: [{ new: true }] } });
  expect(second).toMatchObject({ status: 200, body: { results: [{ new: false }] } });
  expect([...crm.contacts.values()].map(({ properties }) => properties)).toEqual([
    { email: 'a@b.cd', firstname: 'Ada' },
  ]);
});

test('HubSpot refuses no token, a wrong one, and one without the scope', async () => {
  const { call } = await setUp({ scopes: ['crm.objects.contacts.read'] });
  const input = { inputs: [makeInput('a@b.cd')] };

  expect(await call('POST', upsertPath, input, { authorization: 'Bearer no' })).toMatchObject({
    status: 401,
    body: { category: 'INVALID_AUTHENTICATION', status: 'error' },
  });
  expect(await call('POST', upsertPath, input)).toMatchObject({
    status: 403,
    body: { category: 'MISSING_SCOPES' },
  });
  expect(await call('GET', '/crm/v3/objects/contacts?limit=1')).toMatchObject({ status: 200 });
});

test('HubSpot refuses another content type, no JSON, unknown fields and unknown paths', async () => {
  const { call } = await setUp();
  const body = { inputs: [makeInput('a@b.cd')] };

  expect(await call('POST', upsertPath, body, { 'content-type': 'text/plain' })).toMatchObject({
    status: 415,
  });
  for (const bad of ['{', { ...body, more: 1 }, { inputs: [] }, { inputs: [{ id: 'a@b.cd' }] }]) {
    expect(await call('POST', upsertPath, bad)).toMatchObject({
      status: 400,
      body: { category: 'VALIDATION_ERROR' },
    });
  }
  expect(await call('POST', '/crm/v3/objects/nothing', body)).toMatchObject({ status: 404 });
  expect(await call('PUT', upsertPath, body)).toMatchObject({ status: 405 });
});

test.each([
  ['an unknown property', { shoe_size: '46' }, 'PROPERTY_DOESNT_EXIST'],
  ['a value that is too long', { message: 'x'.repeat(65_537) }, 'INVALID_LENGTH'],
  ['a lifecycle stage by its label', { lifecyclestage: 'Lead' }, 'INVALID_OPTION'],
])('HubSpot refuses %s', async (_what, values: Record<string, string>, code) => {
  const { crm, call } = await setUp();

  const response = await call('POST', upsertPath, { inputs: [makeInput('a@b.cd', values)] });

  expect(response).toMatchObject({ status: 400, body: { errors: [{ code }] } });
  expect(crm.contacts.size).toBe(0);
});

test('HubSpot requires the key among the properties, and only a unique property as key', async () => {
  const { call } = await setUp({ uniqueProperties: ['web_lead_id'] });
  const lonely = { id: 'a@b.cd', idProperty: 'email', properties: {} };
  const alien = { id: 'Ada', idProperty: 'firstname', properties: { firstname: 'Ada' } };
  const custom = { id: '7', idProperty: 'web_lead_id', properties: { web_lead_id: '7' } };

  expect(await call('POST', upsertPath, { inputs: [lonely] })).toMatchObject({ status: 400 });
  expect(await call('POST', upsertPath, { inputs: [alien] })).toMatchObject({ status: 400 });
  expect(await call('POST', upsertPath, { inputs: [custom] })).toMatchObject({ status: 200 });
});

test('HubSpot responds with 207 for traced inputs of which some fail', async () => {
  const { crm, call } = await setUp();
  const inputs = [
    { ...makeInput('a@b.cd'), objectWriteTraceId: 'one' },
    { ...makeInput('e@f.gh', { shoe_size: '46' }), objectWriteTraceId: 'two' },
  ];

  expect(await call('POST', upsertPath, { inputs })).toMatchObject({
    status: 207,
    body: {
      results: [{ new: true }],
      numErrors: 1,
      errors: [{ context: { objectWriteTraceId: ['two'] } }],
    },
  });
  expect(crm.contacts.size).toBe(1);
});

test('HubSpot creates a contact once: the address taken is a conflict', async () => {
  const { call } = await setUp();
  const body = { properties: { email: 'a@b.cd' } };

  expect(await call('POST', '/crm/v3/objects/contacts', body)).toMatchObject({ status: 201 });
  expect(await call('POST', '/crm/v3/objects/contacts', body)).toMatchObject({
    status: 409,
    body: { category: 'CONFLICT' },
  });
});

test('HubSpot never moves the lifecycle back, and finds, changes and erases by e-mail', async () => {
  const { crm, call } = await setUp();
  await call('POST', upsertPath, { inputs: [makeInput('a@b.cd', { lifecyclestage: 'customer' })] });
  const path = '/crm/v3/objects/contacts/a%40b.cd?idProperty=email';

  await call('PATCH', path, { properties: { lifecyclestage: 'lead', phone: '1' } });

  expect(await call('GET', path)).toMatchObject({
    status: 200,
    body: { properties: { lifecyclestage: 'customer', phone: '1' } },
  });
  const erase = { objectId: 'a@b.cd', idProperty: 'email' };
  expect(await call('POST', '/crm/v3/objects/contacts/gdpr-delete', erase)).toMatchObject({
    status: 204,
  });
  expect(crm.contacts.size).toBe(0);
  expect(await call('PATCH', path, { properties: {} })).toMatchObject({ status: 404 });
});

test('HubSpot takes a note for a contact it knows, a new one each time, and lists it', async () => {
  const { crm, call } = await setUp();
  await call('POST', upsertPath, { inputs: [makeInput('a@b.cd')] });
  const [contact] = [...crm.contacts.keys()];
  const note = makeNote(contact ?? '');

  expect(await call('POST', '/crm/v3/objects/notes', note)).toMatchObject({ status: 201 });
  expect(await call('POST', '/crm/v3/objects/notes', note)).toMatchObject({ status: 201 });

  expect(crm.notes.map(({ contactId }) => contactId)).toEqual([contact, contact]);
  const filters = [{ propertyName: 'associations.contact', operator: 'EQ', value: contact }];
  const search = { filterGroups: [{ filters }], properties: ['hs_note_body'] };
  expect(await call('POST', '/crm/v3/objects/notes/search', search)).toMatchObject({
    status: 200,
    body: { total: 2, results: [{ properties: { hs_note_body: 'Hello' } }, {}] },
  });
  const list = `/crm/v4/objects/contacts/${contact}/associations/notes`;
  expect(await call('GET', list)).toMatchObject({ body: { results: [{}, {}] } });
});

test('HubSpot refuses a note without time, contact or kind of association, or with too long a body', async () => {
  const { crm, call } = await setUp();
  await call('POST', upsertPath, { inputs: [makeInput('a@b.cd')] });
  const [contact = ''] = [...crm.contacts.keys()];
  const { properties } = makeNote(contact);
  const post = (body: unknown) => call('POST', '/crm/v3/objects/notes', body);

  expect(await post({ ...makeNote(contact), properties: { hs_note_body: 'x' } })).toMatchObject({
    status: 400,
    body: { errors: [{ in: 'hs_timestamp', code: 'REQUIRED_FIELD' }] },
  });
  expect(await post(makeNote(contact, { hs_timestamp: 'yesterday' }))).toMatchObject({ status: 400 });
  expect(await post({ properties })).toMatchObject({ status: 400 });
  expect(await post({ properties, associations: [] })).toMatchObject({ status: 400 });
  expect(await post({ properties, associations: [{ to: { id: contact }, types: [] }] })).toMatchObject(
    { status: 400 },
  );
  expect(await post(makeNote('1'))).toMatchObject({ status: 404 });
  const long = makeNote(contact, { hs_note_body: 'x'.repeat(65_537) });
  expect(await post(long)).toMatchObject({ status: 400 });
  expect(crm.notes).toHaveLength(0);
});

test('HubSpot enforces its rate limit and names the policy', async () => {
  const { call } = await setUp({ rateLimit: { calls: 1, windowMs: 60_000 }, ratePolicy: 'DAILY' });

  const first = await call('GET', '/crm/v3/properties/contacts');
  const second = await call('GET', '/crm/v3/properties/contacts');

  expect(first.headers.get('x-hubspot-ratelimit-remaining')).toBe('0');
  expect(second).toMatchObject({
    status: 429,
    body: { policyName: 'DAILY', category: 'RATE_LIMITS' },
  });
});
