import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { callCrm } from '../../support/crm/call-crm.ts';
import { startFakePipedrive, type FakePipedriveOptions } from '../../support/crm/fake-pipedrive.ts';

const shoeField = 'a'.repeat(40);
const ada = {
  name: 'Ada Lovelace',
  emails: [{ value: 'ada@example.com', primary: true, label: 'work' }],
};

async function setUp(options: FakePipedriveOptions = {}) {
  const crm = await startFakePipedrive(options);
  onTestFinished(() => crm.close());
  const call = (method: string, path: string, body?: unknown, headers = {}) =>
    callCrm(method, crm.url + path, { 'x-api-token': crm.token, ...headers }, body);

  return { crm, call };
}

const refused = (status: number) => ({
  status,
  body: { success: false, error: expect.any(String), error_info: expect.any(String), data: null },
});

test('Pipedrive finds a person by the exact address only, and updates what it found', async () => {
  const { crm, call } = await setUp();
  await call('POST', '/api/v2/persons', ada);
  const search = (term: string) =>
    call('GET', `/api/v2/persons/search?term=${term}&fields=email&exact_match=true&limit=1`);

  expect(await search('ADA@example.com')).toMatchObject({
    status: 200,
    body: { success: true, data: { items: [{ item: { id: 1 } }] } },
  });
  expect(await search('da@example.com')).toMatchObject({ body: { data: { items: [] } } });
  await call('PATCH', '/api/v2/persons/1', { job_title: 'Countess' });
  expect(crm.persons).toEqual([{ id: 1, ...ada, job_title: 'Countess' }]);
});

test('Pipedrive makes two persons of one address when asked twice', async () => {
  const { crm, call } = await setUp();
  await call('POST', '/api/v2/persons', ada);
  await call('POST', '/api/v2/persons', ada);

  expect(crm.persons).toHaveLength(2);
});

test('Pipedrive refuses no token, a wrong one, and one where it does not belong', async () => {
  const { crm, call } = await setUp();
  const path = `/v1/users/me?api_token=${crm.token}`;

  expect(await callCrm('GET', crm.url + path, {})).toMatchObject(refused(401));
  expect(await call('GET', path, undefined, { 'x-api-token': 'no' })).toMatchObject(refused(401));
  expect(await call('GET', path)).toMatchObject({ status: 200, body: { success: true } });
});

test.each([
  ['a person without name', '/api/v2/persons', { emails: [] }],
  ['a person with too long a name', '/api/v2/persons', { name: 'x'.repeat(256) }],
  ['a person with the addresses of v1', '/api/v2/persons', { name: 'Ada', email: 'a@b.cd' }],
  ['an unknown custom field', '/api/v2/persons', { name: 'A', custom_fields: { shoe: '46' } }],
  ['a lead without title', '/v1/leads', { person_id: 1 }],
  ['a lead of nobody', '/v1/leads', { title: 'Lead' }],
  ['a lead with an unknown field', '/v1/leads', { title: 'Lead', person_id: 1, note: 'Hello' }],
  ['a note without content', '/v1/notes', { person_id: 1 }],
  ['a note of nothing', '/v1/notes', { content: 'Hello' }],
  ['what is not JSON', '/v1/notes', '{'],
])('Pipedrive refuses %s', async (_what, path, body: unknown) => {
  const { crm, call } = await setUp();
  await call('POST', '/api/v2/persons', ada);

  expect(await call('POST', path, body)).toMatchObject(refused(400));
  expect([crm.persons.length, crm.leads.length, crm.notes.length]).toEqual([1, 0, 0]);
});

test('Pipedrive takes a lead of a person and a note of the lead, and lists both', async () => {
  const { crm, call } = await setUp({ leadFields: [shoeField] });
  await call('POST', '/api/v2/persons', ada);
  const origin = randomUUID();
  const body = { title: 'Lead', person_id: 1, origin_id: origin, [shoeField]: '46' };

  expect(await call('POST', '/v1/leads', body)).toMatchObject({
    status: 201,
    body: { success: true, data: { origin_id: origin, [shoeField]: '46' } },
  });
  const [lead] = crm.leads;
  const note = { content: '<p>Hello</p>', lead_id: lead?.id };
  expect(await call('POST', '/v1/notes', note)).toMatchObject({ status: 201 });

  expect(await call('GET', '/v1/leads?person_id=1')).toMatchObject({
    body: { data: [{ id: lead?.id, origin_id: origin }] },
  });
  expect(await call('GET', '/v1/leads?person_id=2')).toMatchObject({ body: { data: [] } });
  expect(await call('GET', `/v1/notes?lead_id=${lead?.id}`)).toMatchObject({
    body: { data: [note] },
  });
  const search = '/api/v2/leads/search?term=lead&exact_match=true&person_id=1';
  expect(await call('GET', search)).toMatchObject({
    body: { data: { items: [{ item: { id: lead?.id } }] } },
  });
});

test('Pipedrive knows no lead, note or person of what it has not', async () => {
  const { call } = await setUp();
  const nobody = { title: 'Lead', person_id: 9 };

  expect(await call('POST', '/v1/leads', nobody)).toMatchObject(refused(404));
  expect(await call('PATCH', '/api/v2/persons/9', {})).toMatchObject(refused(404));
  const note = { content: 'Hello', lead_id: randomUUID() };
  expect(await call('POST', '/v1/notes', note)).toMatchObject(refused(404));
});

test('Pipedrive refuses another content type, other paths, and what v2 has replaced', async () => {
  const { call } = await setUp();

  const type = { 'content-type': 'text/plain' };
  expect(await call('POST', '/api/v2/persons', ada, type)).toMatchObject(refused(415));
  expect(await call('POST', '/api/v2/leads', { title: 'x' })).toMatchObject(refused(404));
  expect(await call('POST', '/v1/persons', ada)).toMatchObject(refused(410));
  expect(await call('GET', '/v1/leads/search?term=lead')).toMatchObject(refused(410));
  expect(await call('PUT', '/v1/leads', {})).toMatchObject(refused(405));
});

test('Pipedrive names the plan’s cap with a code', async () => {
  const { call } = await setUp({ leadCap: 0 });
  await call('POST', '/api/v2/persons', ada);

  expect(await call('POST', '/v1/leads', { title: 'Lead', person_id: 1 })).toMatchObject({
    status: 403,
    body: { success: false, code: 'feature_capping_deals_limit' },
  });
});

test('Pipedrive enforces its burst limit, and blocks a client that ignores it', async () => {
  const { call } = await setUp({ rateLimit: { calls: 1, windowMs: 60_000 }, refusalsBeforeBlock: 1 });
  const getUser = () => call('GET', '/v1/users/me');

  await getUser();
  const second = await getUser();
  const third = await getUser();

  expect(second).toMatchObject(refused(429));
  expect(Number(second.headers.get('x-ratelimit-reset'))).toBeGreaterThan(0);
  expect(third).toMatchObject(refused(403));
  expect(third.body).not.toHaveProperty('code');
});
