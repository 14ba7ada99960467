import { expect, onTestFinished, test } from 'vitest';
import { callCrm } from '../../support/crm/call-crm.ts';
import { startFakeOdoo, type FakeOdooOptions } from '../../support/crm/fake-odoo.ts';
import { ODOO_DEBUG_CANARY } from '../../support/crm/odoo-responses.ts';

const lead = { name: 'Ada', type: 'lead', email_from: 'ada@example.com', referred: 'L1' };

async function setUp(options: FakeOdooOptions = {}) {
  const crm = await startFakeOdoo({ majorVersion: 17, ...options });
  onTestFinished(() => crm.close());
  const call = async (service: string, method: string, ...args: unknown[]) => {
    const body = { jsonrpc: '2.0', method: 'call', id: 7, params: { service, method, args } };
    const response = await callCrm('POST', `${crm.url}/jsonrpc`, {}, body);
    expect(response).toMatchObject({ status: 200, body: { jsonrpc: '2.0', id: 7 } });

    return response.body;
  };
  const callModel = (model: string, method: string, args: unknown[], named?: object) =>
    call('object', 'execute_kw', crm.database, 2, crm.apiKey, model, method, args, ...(named ? [named] : []));

  return { crm, call, callModel };
}

const failed = (name: string) => ({
  error: {
    code: 200,
    message: 'Odoo Server Error',
    data: {
      name,
      message: expect.any(String),
      arguments: expect.any(Array),
      context: {},
      debug: expect.stringContaining(ODOO_DEBUG_CANARY),
    },
  },
});

test('Odoo 14 to 18 report their version to anybody, and the user’s number to whoever has the key', async () => {
  const { crm, call } = await setUp();

  expect(await call('common', 'version')).toMatchObject({
    result: { server_version_info: [17, 0, 0, 'final', 0, ''] },
  });
  expect(await call('common', 'authenticate', crm.database, crm.login, crm.apiKey, {})).toMatchObject({ result: 2 });
  expect(await call('common', 'authenticate', crm.database, crm.login, 'no', {})).toMatchObject({ result: false });
  expect(await call('common', 'authenticate', crm.database, 'other', crm.apiKey, {})).toMatchObject({
    result: false,
  });
});

test('Odoo 14 to 18 create, find, read and write a lead, with arguments by position or by name', async () => {
  const { crm, callModel } = await setUp({ customFields: ['x_web_lead_ref'] });

  const made = await callModel('crm.lead', 'create', [{ ...lead, x_web_lead_ref: 'L1' }]);
  const found = await callModel('crm.lead', 'search', [[['x_web_lead_ref', '=', 'L1']]], { limit: 1 });
  const written = await callModel('crm.lead', 'write', [[1], { phone: '1' }]);
  const read = await callModel('crm.lead', 'read', [[1, 9], ['phone', 'function']]);
  const both = await callModel('crm.lead', 'search_read', [], { domain: [], fields: ['phone'] });

  expect([made, found, written]).toMatchObject([{ result: 1 }, { result: [1] }, { result: true }]);
  expect(read).toMatchObject({ result: [{ id: 1, phone: '1', function: false }] });
  expect(both).toMatchObject({ result: [{ id: 1, phone: '1' }] });
  expect(crm.leads).toEqual([{ ...lead, x_web_lead_ref: 'L1', phone: '1', id: 1 }]);
});

test('Odoo 14 to 18 make an opportunity of what has no type, where the user sees no leads', async () => {
  const { crm, callModel } = await setUp({ usesLeads: false });

  expect(await callModel('crm.lead', 'create', [[{ name: 'Ada' }, lead]])).toMatchObject({ result: [1, 2] });

  expect(crm.leads).toMatchObject([{ type: 'opportunity' }, { type: 'lead' }]);
});

test('Odoo 14 to 18 refuse another database, a wrong key, one that has expired, and no such service', async () => {
  const { crm, call, callModel } = await setUp();
  const count = (database: string, key: string) =>
    call('object', 'execute_kw', database, 2, key, 'crm.lead', 'search_count', [[]]);
  const denied = failed('odoo.exceptions.AccessDenied');

  expect(await count(crm.database, crm.apiKey)).toMatchObject({ result: 0 });
  expect(await count('other', crm.apiKey)).toMatchObject(failed('psycopg2.OperationalError'));
  expect(await call('common', 'authenticate', 'other', crm.login, crm.apiKey, {})).toMatchObject(
    failed('psycopg2.OperationalError'),
  );
  expect(await count(crm.database, 'no')).toMatchObject(denied);
  expect(await call('report', 'list')).toMatchObject(failed('builtins.KeyError'));
  expect(await call('common', 'authenticate', crm.database, crm.login)).toMatchObject(failed('builtins.TypeError'));
  crm.expireKey();
  expect(await callModel('crm.lead', 'search', [[]])).toMatchObject(denied);
});

test.each([
  ['a field it has not', 'create', [{ ...lead, shoe: '46' }], 'builtins.ValueError'],
  ['no name', 'create', [{ type: 'lead' }], 'odoo.exceptions.ValidationError'],
  ['another type', 'create', [{ ...lead, type: 'x' }], 'builtins.ValueError'],
  ['a source it has not', 'create', [{ ...lead, source_id: 9 }], 'odoo.exceptions.ValidationError'],
  ['a lead it has not', 'write', [[9], {}], 'odoo.exceptions.MissingError'],
  ['a domain of a field it has not', 'search', [[['shoe', '=', 1]]], 'builtins.ValueError'],
  ['an argument too many', 'create', [lead, 1], 'builtins.TypeError'],
  ['a method it has not', 'upsert', [lead], 'builtins.AttributeError'],
  ['a private method', '_create', [lead], 'odoo.exceptions.AccessError'],
  ['a post whose text has no name', 'message_post', [[9], 'Hello'], 'builtins.TypeError'],
  ['a post on no lead', 'message_post', [[9]], 'odoo.exceptions.MissingError'],
])('Odoo 14 to 18 refuse %s with status 200', async (_what, method, args, name) => {
  const { crm, callModel } = await setUp();

  expect(await callModel('crm.lead', method, args)).toMatchObject(failed(name));
  expect(crm.leads).toHaveLength(0);
});

test('Odoo without the CRM has no leads, and a user without a right gets that error', async () => {
  const { callModel: callBare } = await setUp({ hasCrm: false });
  const { callModel } = await setUp({ forbidden: ['crm.lead/create', 'crm.tag/read'] });
  const check = (raise: boolean) => callModel('crm.lead', 'check_access_rights', ['create', raise]);

  expect(await callBare('crm.lead', 'search', [[]])).toMatchObject({
    error: { data: { name: 'odoo.exceptions.UserError', message: "Object crm.lead doesn't exist" } },
  });
  const refused = failed('odoo.exceptions.AccessError');
  expect(await callModel('crm.lead', 'create', [lead])).toMatchObject(refused);
  expect(await callModel('crm.tag', 'search', [[]])).toMatchObject(refused);
  expect(await check(true)).toMatchObject(refused);
  expect(await check(false)).toMatchObject({ result: false });
  expect(await callModel('crm.lead', 'check_access_rights', ['read'])).toMatchObject({ result: true });
});

test.each([
  [14, 'text'],
  [15, 'html'],
])('Odoo %i describes fields, the description of leads as %s', async (majorVersion, type) => {
  const { callModel } = await setUp({ majorVersion });

  expect(
    await callModel('crm.lead', 'fields_get', [['name', 'description', 'shoe']], { attributes: ['type', 'required'] }),
  ).toEqual({
    jsonrpc: '2.0',
    id: 7,
    result: { name: { type: 'char', required: true }, description: { type, required: false } },
  });
});

test('Odoo 14 to 18 post a message on a lead, a new one each time', async () => {
  const { crm, callModel } = await setUp();
  await callModel('crm.lead', 'create', [lead]);
  const post = () => callModel('crm.lead', 'message_post', [[1]], { body: 'Hello', subtype_xmlid: 'mail.mt_note' });

  expect([await post(), await post()]).toMatchObject([{ result: 1 }, { result: 2 }]);

  const message = { model: 'crm.lead', res_id: 1, body: 'Hello', options: { subtype_xmlid: 'mail.mt_note' } };
  expect(crm.messages).toMatchObject([message, message]);
});

test('Odoo 14 to 18 give a page to what is no JSON', async () => {
  const { crm } = await setUp();
  const post = (type: string, body: string) =>
    fetch(`${crm.url}/jsonrpc`, { method: 'POST', headers: { 'content-type': type }, body });

  expect((await post('text/plain', '{}')).status).toBe(400);
  expect((await post('application/json', '{')).status).toBe(400);
  expect((await fetch(`${crm.url}/jsonrpc`)).status).toBe(405);
});
