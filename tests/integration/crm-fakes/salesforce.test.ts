import { expect, onTestFinished, test } from 'vitest';
import { callCrm } from '../../support/crm/call-crm.ts';
import {
  startFakeSalesforce,
  type FakeSalesforce,
  type FakeSalesforceOptions,
} from '../../support/crm/fake-salesforce.ts';

const lead = { LastName: 'Lovelace', Company: 'Engines', Email: 'ada@example.com' };
const leadPath = '/services/data/v68.0/sobjects/Lead';
const keyPath = `${leadPath}/WebLeadId__c/L1`;
const formType = { 'content-type': 'application/x-www-form-urlencoded' };

function logIn(crm: FakeSalesforce, fields: Record<string, string> = {}, headers = formType) {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: crm.clientId,
    client_secret: crm.clientSecret,
    ...fields,
  });

  return callCrm('POST', `${crm.url}/services/oauth2/token`, headers, form.toString());
}

async function setUp(options: FakeSalesforceOptions = {}) {
  const crm = await startFakeSalesforce(options);
  onTestFinished(() => crm.close());
  const { access_token: token, instance_url: base } = (await logIn(crm)).body as {
    access_token: string;
    instance_url: string;
  };
  const call = (method: string, path: string, body?: unknown, headers = {}) =>
    callCrm(method, base + path, { authorization: `Bearer ${token}`, ...headers }, body);

  return { crm, call };
}

const refused = (status: number, errorCode: string, fields: string[] = []) => ({
  status,
  body: [{ errorCode, fields, message: expect.any(String) }],
});

test('Salesforce creates a lead under its key, then updates the same one', async () => {
  const { crm, call } = await setUp();

  const first = await call('PATCH', keyPath, lead);
  const second = await call('PATCH', keyPath, { Title: 'Countess' });

  expect(first).toMatchObject({ status: 201, body: { success: true, errors: [], created: true } });
  expect(second).toMatchObject({ status: 200, body: { created: false } });
  expect(crm.leads.map(({ values }) => values)).toMatchObject([
    { ...lead, Title: 'Countess', WebLeadId__c: 'L1' },
  ]);
});

test.each([
  ['another grant', { grant_type: 'password' }, 'unsupported_grant_type'],
  ['another app', { client_id: 'no' }, 'invalid_client_id'],
  ['another secret', { client_secret: 'no' }, 'invalid_client'],
])('Salesforce logs nobody in with %s', async (_what, fields: Record<string, string>, error) => {
  const { crm } = await setUp();

  expect(await logIn(crm, fields)).toMatchObject({ status: 400, body: { error } });
});

test('Salesforce requires the login as a form', async () => {
  const { crm } = await setUp();

  expect(await logIn(crm, {}, { 'content-type': 'application/json' })).toMatchObject({
    status: 400,
    body: { error: 'invalid_request' },
  });
});

test('Salesforce refuses a session that has ended, and takes a new one', async () => {
  const { crm, call } = await setUp();
  crm.expireTokens();

  expect(await call('PATCH', keyPath, lead)).toMatchObject(refused(401, 'INVALID_SESSION_ID'));
  const { access_token: token } = (await logIn(crm)).body as { access_token: string };
  const headers = { authorization: `Bearer ${token}` };
  expect(await call('PATCH', keyPath, lead, headers)).toMatchObject({ status: 201 });
});

test('Salesforce may keep its records at another address than the login', async () => {
  const { crm, call } = await setUp({ ownInstance: true });

  expect(crm.instanceUrl).not.toBe(crm.url);
  expect(await call('PATCH', keyPath, lead)).toMatchObject({ status: 201 });
  expect(await callCrm('PATCH', crm.url + keyPath, {}, lead)).toMatchObject({ status: 404 });
  expect(crm.requests.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'PATCH']);
});

test.each([
  ['no last name and company', { Email: 'a@b.cd' }, 'REQUIRED_FIELD_MISSING', ['LastName', 'Company']],
  ['a first name of 41 characters', { ...lead, FirstName: 'x'.repeat(41) }, 'STRING_TOO_LONG', ['FirstName']],
  ['a field it has not', { ...lead, Shoe__c: '46' }, 'INVALID_FIELD', []],
  ['its key in the body', { ...lead, WebLeadId__c: 'L1' }, 'INVALID_FIELD', ['WebLeadId__c']],
  ['a broken address', { ...lead, Email: 'ada' }, 'INVALID_EMAIL_ADDRESS', ['Email']],
  ['an address that begins with a dot', { ...lead, Email: '.ada@example.org' }, 'INVALID_EMAIL_ADDRESS', ['Email']],
  ['a domain in its own script', { ...lead, Email: 'ada@bücher.example' }, 'INVALID_EMAIL_ADDRESS', ['Email']],
  ['no JSON', '{', 'JSON_PARSER_ERROR', []],
])('Salesforce refuses a lead with %s', async (_what, body: unknown, code, fields) => {
  const { crm, call } = await setUp();

  expect(await call('PATCH', keyPath, body)).toMatchObject(refused(400, code, fields));
  expect(crm.leads).toHaveLength(0);
});

test('Salesforce refuses another content type, field as key, object and version', async () => {
  const { call } = await setUp();

  const type = { 'content-type': 'text/plain' };
  expect(await call('PATCH', keyPath, lead, type)).toMatchObject(
    refused(415, 'UNSUPPORTED_MEDIA_TYPE'),
  );
  for (const path of [
    `${leadPath}/Email/a@b.cd`,
    '/services/data/v68.0/sobjects/Nothing/WebLeadId__c/L1',
    '/services/data/v99.0/sobjects/Lead/WebLeadId__c/L1',
    `${leadPath}/WebLeadId__c/L1?updateOnly=true`,
  ]) {
    expect(await call('PATCH', path, lead)).toMatchObject(refused(404, 'NOT_FOUND'));
  }
  expect(await call('PUT', keyPath, lead)).toMatchObject(refused(405, 'METHOD_NOT_ALLOWED'));
});

test('Salesforce writes nothing when the key is on several leads', async () => {
  const { crm, call } = await setUp({ externalIdUnique: false });
  await call('POST', leadPath, { ...lead, WebLeadId__c: 'L1' });
  await call('POST', leadPath, { ...lead, WebLeadId__c: 'L1' });

  const response = await call('PATCH', keyPath, { Title: 'Countess' });

  expect(response.status).toBe(300);
  expect(response.body).toEqual(crm.leads.map(({ id }) => `${leadPath}/${id}`));
  expect(crm.leads.some(({ values }) => 'Title' in values)).toBe(false);
});

test('Salesforce keeps a unique key unique when a lead is made without upsert', async () => {
  const { call } = await setUp();
  const body = { ...lead, WebLeadId__c: 'L1' };

  expect(await call('POST', leadPath, body)).toMatchObject({ status: 201 });
  expect(await call('POST', leadPath, body)).toMatchObject(refused(400, 'DUPLICATE_VALUE'));
});

test('Salesforce’s duplicate rules stop a second lead of an address: alerts can be passed', async () => {
  const { crm, call } = await setUp({ duplicateRule: 'alert' });
  const allow = { 'Sforce-Duplicate-Rule-Header': 'allowSave=true; runAsCurrentUser=false' };
  await call('PATCH', keyPath, lead);
  const path = `${leadPath}/WebLeadId__c/L2`;

  expect(await call('PATCH', path, lead)).toMatchObject(refused(400, 'DUPLICATES_DETECTED'));
  crm.setDuplicateRule('block');
  expect(await call('PATCH', path, lead, allow)).toMatchObject(refused(400, 'DUPLICATES_DETECTED'));
  crm.setDuplicateRule('alert');
  expect(await call('PATCH', path, lead, allow)).toMatchObject({ status: 201 });
});

test('Salesforce doesn’t change a converted lead', async () => {
  const { crm, call } = await setUp();
  await call('PATCH', keyPath, lead);
  crm.convertLead(crm.leads[0]?.id ?? '');

  expect(await call('PATCH', keyPath, lead)).toMatchObject(
    refused(400, 'CANNOT_UPDATE_CONVERTED_LEAD'),
  );
});

test('Salesforce finds a lead by key, id and query, and describes its fields', async () => {
  const { crm, call } = await setUp();
  await call('PATCH', keyPath, lead);
  const id = crm.leads[0]?.id;
  const soql = encodeURIComponent("SELECT Id FROM Lead WHERE WebLeadId__c = 'L1' LIMIT 1");

  expect(await call('GET', keyPath)).toMatchObject({ status: 200, body: { Id: id } });
  expect(await call('GET', `${leadPath}/${id}`)).toMatchObject({ status: 200, body: { Id: id } });
  expect(await call('GET', `${leadPath}/WebLeadId__c/L2`)).toMatchObject({ status: 404 });
  expect(await call('GET', `/services/data/v68.0/query?q=${soql}`)).toMatchObject({
    body: { records: [{ Id: id }] },
  });
  const description = (await call('GET', `${leadPath}/describe`)).body;
  expect(description).toMatchObject({
    fields: expect.arrayContaining([
      expect.objectContaining({ name: 'WebLeadId__c', externalId: true, unique: true, length: 36 }),
    ]),
  });
});

test('Salesforce responds with 403 once its daily calls are used up', async () => {
  const { call } = await setUp({ rateLimit: { calls: 1, windowMs: 60_000 } });

  const first = await call('PATCH', keyPath, lead);
  expect(first.headers.get('sforce-limit-info')).toBe('api-usage=1/1');
  expect(await call('PATCH', keyPath, lead)).toMatchObject(refused(403, 'REQUEST_LIMIT_EXCEEDED'));
});
