import { expect, onTestFinished, test } from 'vitest';
import { callCrm } from '../../support/crm/call-crm.ts';
import { startFakeOdoo, type FakeOdooOptions } from '../../support/crm/fake-odoo.ts';
import { ODOO_DEBUG_CANARY } from '../../support/crm/odoo-responses.ts';

const lead = { name: 'Ada', type: 'lead', email_from: 'ada@example.com', referred: 'L1' };

async function setUp(options: FakeOdooOptions = {}) {
  const crm = await startFakeOdoo(options);
  onTestFinished(() => crm.close());
  const call = (method: string, body: unknown, headers = {}) =>
    callCrm(
      'POST',
      `${crm.url}/json/2/${method}`,
      { authorization: `bearer ${crm.apiKey}`, ...headers },
      body,
    );

  return { crm, call };
}

const refused = (status: number, name: string) => ({
  status,
  body: {
    name,
    message: expect.any(String),
    arguments: expect.any(Array),
    context: {},
    debug: expect.stringContaining(ODOO_DEBUG_CANARY),
  },
});

test('Odoo creates, finds and writes a lead', async () => {
  const { crm, call } = await setUp({ customFields: ['x_web_lead_ref'] });

  const made = await call('crm.lead/create', { vals_list: [{ ...lead, x_web_lead_ref: 'L1' }] });
  const found = await call('crm.lead/search_read', {
    domain: [['x_web_lead_ref', '=', 'L1']],
    fields: ['id'],
    limit: 1,
  });
  const written = await call('crm.lead/write', { ids: [1], vals: { phone: '1' } });

  expect([made.body, found.body, written.body]).toEqual([[1], [{ id: 1 }], true]);
  expect(crm.leads).toEqual([{ ...lead, x_web_lead_ref: 'L1', phone: '1', id: 1 }]);
});

test('Odoo reads a UTM source out as id and name, and keeps equal names apart', async () => {
  const { crm, call } = await setUp();
  await call('utm.source/create', { vals_list: [{ name: 'web' }] });
  await call('utm.source/create', { vals_list: [{ name: 'web' }] });
  await call('crm.lead/create', { vals_list: [{ ...lead, source_id: 1 }] });

  const body = { domain: ['|', ['name', 'ilike', 'ADA'], ['name', '=', 'x']], fields: ['source_id', 'phone'] };
  expect((await call('crm.lead/search_read', body)).body).toEqual([
    { id: 1, source_id: [1, 'web'], phone: false },
  ]);
  expect(crm.sources.map(({ name }) => name)).toEqual(['web', 'web [2]']);
});

test('Odoo refuses no key, a wrong one, and one that has expired', async () => {
  const { crm, call } = await setUp();
  const body = { domain: [] };
  const unauthorized = refused(401, 'werkzeug.exceptions.Unauthorized');

  expect(await callCrm('POST', `${crm.url}/json/2/crm.lead/search`, {}, body)).toMatchObject(unauthorized);
  expect(await call('crm.lead/search', body, { authorization: 'bearer no' })).toMatchObject(unauthorized);
  expect(await call('crm.lead/search', body)).toMatchObject({ status: 200 });
  crm.expireKey();
  expect(await call('crm.lead/search', body)).toMatchObject(unauthorized);
});

test.each([
  ['a field it has not', 'create', { vals_list: [{ ...lead, shoe: '46' }] }, 'builtins.ValueError'],
  ['no name', 'create', { vals_list: [{ type: 'lead' }] }, 'odoo.exceptions.ValidationError'],
  ['another type', 'create', { vals_list: [{ ...lead, type: 'x' }] }, 'builtins.ValueError'],
  ['a source it has not', 'create', { vals_list: [{ ...lead, source_id: 9 }] }, 'odoo.exceptions.ValidationError'],
  ['a number as text', 'create', { vals_list: [{ ...lead, phone: 1 }] }, 'builtins.ValueError'],
  ['a lead it has not', 'write', { ids: [9], vals: {} }, 'odoo.exceptions.MissingError'],
  ['a domain of a field it has not', 'search', { domain: [['shoe', '=', 1]] }, 'builtins.ValueError'],
  ['an argument it has not', 'create', { vals_list: [], more: 1 }, 'werkzeug.exceptions.UnprocessableEntity'],
  ['no arguments', 'create', {}, 'werkzeug.exceptions.UnprocessableEntity'],
  ['no JSON', 'create', '{', 'werkzeug.exceptions.UnprocessableEntity'],
])('Odoo refuses %s', async (_what, method, body: unknown, name) => {
  const { crm, call } = await setUp();

  expect(await call(`crm.lead/${method}`, body)).toMatchObject(refused(422, name));
  expect(crm.leads).toHaveLength(0);
});

test('Odoo creates all leads of a call or none, and repeats in the traceback what it was sent', async () => {
  const { crm, call } = await setUp();

  const { body } = await call('crm.lead/create', { vals_list: [lead, { ...lead, shoe: '46' }] });

  expect(body).toMatchObject({ debug: expect.stringContaining(lead.email_from) });
  expect(crm.leads).toHaveLength(0);
});

test('Odoo refuses another content type, model and method, and what the user may not do', async () => {
  const { call } = await setUp({ forbidden: ['utm.source/create'] });
  const body = { vals_list: [{ name: 'web' }] };

  expect(await call('utm.medium/create', body, { 'content-type': 'text/plain' })).toMatchObject(
    refused(415, 'werkzeug.exceptions.UnsupportedMediaType'),
  );
  const notFound = refused(404, 'werkzeug.exceptions.NotFound');
  expect(await call('crm.nothing/create', body)).toMatchObject(notFound);
  expect(await call('crm.lead/constructor', body)).toMatchObject(notFound);
  expect(await call('utm.source/create', body)).toMatchObject(
    refused(403, 'odoo.exceptions.AccessError'),
  );
});

test('Odoo with several databases requires the database’s name', async () => {
  const { crm } = await setUp({ severalDatabases: true });
  const requestWith = async (more: Record<string, string>) => {
    const headers = {
      authorization: `bearer ${crm.apiKey}`,
      'content-type': 'application/json',
      ...more,
    };
    const url = `${crm.url}/json/2/crm.lead/search`;

    return (await fetch(url, { method: 'POST', headers, body: '{"domain":[]}' })).status;
  };

  expect(await requestWith({})).toBe(404);
  expect(await requestWith({ 'x-odoo-database': 'other' })).toBe(404);
  expect(await requestWith({ 'x-odoo-database': crm.database })).toBe(200);
});

test('Odoo reports its version to anybody', async () => {
  const { crm } = await setUp();

  expect(await callCrm('GET', `${crm.url}/web/version`, {})).toMatchObject({
    status: 200,
    body: { version_info: [19, 0, 0, 'final', 0, ''] },
  });
});

test('Odoo 17 has neither JSON-2 nor /web/version, and reports its version by JSON-RPC', async () => {
  const { crm } = await setUp({ majorVersion: 17 });
  const params = { service: 'common', method: 'version', args: [] };
  const body = { jsonrpc: '2.0', method: 'call', params, id: 1 };

  expect((await fetch(`${crm.url}/web/version`)).status).toBe(404);
  expect((await fetch(`${crm.url}/json/2/crm.lead/search`, { method: 'POST' })).status).toBe(404);
  expect(await callCrm('POST', `${crm.url}/jsonrpc`, {}, body)).toMatchObject({
    body: { result: { server_version_info: [17, 0, 0, 'final', 0, ''] } },
  });
});

test('Odoo reports what the key’s user may do, and hides archived records unless asked', async () => {
  const { call } = await setUp({ forbidden: ['crm.lead/create'] });

  expect(await call('crm.lead/has_access', { operation: 'read' })).toMatchObject({ body: true });
  expect(await call('crm.lead/has_access', { operation: 'create' })).toMatchObject({ body: false });
  await call('crm.tag/create', { vals_list: [{ name: 'old', active: false }] });
  const search = (context: object) => call('crm.tag/search_count', { domain: [], context });
  expect(await search({})).toMatchObject({ body: 0 });
  expect(await search({ active_test: false })).toMatchObject({ body: 1 });
});
