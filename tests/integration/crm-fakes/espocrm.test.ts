import { expect, onTestFinished, test } from 'vitest';
import { callCrm } from '../../support/crm/call-crm.ts';
import { startFakeEspocrm, type FakeEspocrmOptions } from '../../support/crm/fake-espocrm.ts';

const lead = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  emailAddress: 'ada@example.com',
  phoneNumber: '+1 555 0100',
  source: 'Web Site',
};

async function setUp(options: FakeEspocrmOptions = {}) {
  const crm = await startFakeEspocrm(options);
  onTestFinished(() => crm.close());
  const call = (method: string, path: string, body?: unknown, headers = {}) =>
    callCrm(method, `${crm.url}/api/v1/${path}`, { 'x-api-key': crm.apiKey, ...headers }, body);

  return { crm, call };
}

/** The query of one condition on leads. */
const where = (attribute: string, value: string, list = 'where', type = 'equals') =>
  `Lead?${String(
    new URLSearchParams({
      [`${list}[0][type]`]: type,
      [`${list}[0][attribute]`]: attribute,
      [`${list}[0][value]`]: value,
    }),
  )}`;

test('EspoCRM creates, finds, reads and changes a lead', async () => {
  const { crm, call } = await setUp({ customFields: ['cWebLeadRef'] });

  const made = await call('POST', 'Lead', { ...lead, cWebLeadRef: 'L1' });
  const { id } = crm.leads[0] ?? { id: '' };
  const found = await call('GET', `${where('cWebLeadRef', 'L1')}&select=id`);
  const changed = await call('PUT', `Lead/${id}`, { title: 'Countess' });

  expect(made).toMatchObject({
    status: 200,
    body: { id, name: 'Ada Lovelace', status: 'New', phoneNumber: '+15550100', title: null },
  });
  expect(found).toMatchObject({ status: 200, body: { total: 1, list: [{ id }] } });
  expect(changed).toMatchObject({ status: 200, body: { id, title: 'Countess' } });
  expect((await call('GET', `Lead/${id}`)).body).toEqual(crm.leads[0]);
});

test('EspoCRM refuses a namesake and the same e-mail with the leads there are, unless asked to skip that', async () => {
  const { crm, call } = await setUp();
  const [mail, name] = [{ emailAddress: 'Ada@Example.com' }, { firstName: 'ada', lastName: 'LOVELACE' }];
  const id = crm.addLead(lead);

  for (const values of [mail, name]) {
    const refused = await call('POST', 'Lead', values);
    expect(refused).toMatchObject({ status: 409, body: [{ id }] });
    expect(refused.headers.get('x-status-reason')).toBe('duplicate');
    expect(refused.headers.get('content-type')).toContain('text/html');
  }
  expect(crm.leads).toHaveLength(1);
  expect(await call('POST', 'Lead', mail, { 'x-skip-duplicate-check': 'true' })).toMatchObject({ status: 200 });
  expect(await call('POST', 'Lead', { firstName: 'Ada' })).toMatchObject({ status: 200 });
});

test('EspoCRM shows and counts as duplicates only leads that the role may read', async () => {
  const { crm, call } = await setUp({ rights: { read: 'own' } });
  const id = crm.addLead(lead);

  expect(await call('POST', 'Lead', lead)).toMatchObject({ status: 200 });
  expect(await call('GET', 'Lead')).toMatchObject({ body: { total: 1 } });
  expect(await call('GET', `Lead/${id}`)).toMatchObject({ status: 403 });
});

test.each([
  ['a name with <', { lastName: '<b>' }, 'lastName', 'pattern'],
  ['a company with =', { accountName: 'a=b' }, 'accountName', 'pattern'],
  ['a title that is too long', { title: 'x'.repeat(101) }, 'title', 'maxLength'],
  ['a phone number without its country', { phoneNumber: '030 1234567' }, 'phoneNumber', 'valid'],
  ['an e-mail that PHP refuses', { emailAddress: 'ada@exämple.com' }, 'emailAddress', 'emailAddress'],
  ['a website without a dot', { website: 'localhost' }, 'website', 'valid'],
  ['a source it has not', { source: 'Website' }, 'source', 'valid'],
  ['a lead without a status', { status: null }, 'status', 'valid'],
  ['no value where one is required', { description: '' }, 'description', 'required'],
])('EspoCRM refuses %s, and names the field', async (_what, values, field, type) => {
  const { crm, call } = await setUp({ requiredFields: ['description'] });

  const refused = await call('POST', 'Lead', { ...lead, description: 'Hello', ...values });

  expect(refused).toMatchObject({
    status: 400,
    body: { messageTranslation: { label: 'validationFailure', data: { field, type } } },
  });
  expect(refused.headers.get('x-status-reason')).toContain(`field: ${field}, type: ${type}`);
  expect(crm.leads).toHaveLength(0);
});

test('EspoCRM passes over fields it has not or may not be written, and over a body of another type', async () => {
  const { crm, call } = await setUp({ readOnlyFields: ['title'] });

  await call('POST', 'Lead', { ...lead, shoeSize: 46, title: 'Countess', id: 'mine' });
  await call('POST', 'Lead', lead, { 'content-type': 'text/plain' });

  expect(crm.leads).toMatchObject([{ title: null }, { name: null, emailAddress: null }]);
  expect(crm.leads[0]).not.toHaveProperty('shoeSize');
  expect(crm.leads[0]?.id).toMatch(/^[0-9a-f]{17}$/);
  expect(await call('POST', 'Lead', '{')).toMatchObject({ status: 500 });
  expect(await call('POST', 'Lead', '1')).toMatchObject({ status: 400 });
});

test('EspoCRM refuses no key, a wrong one and, after eleven of those, everybody', async () => {
  const { crm, call } = await setUp();

  const missing = await callCrm('GET', `${crm.url}/api/v1/App/user`, {});
  expect(missing).toMatchObject({ status: 401, body: undefined });
  expect(missing.headers.get('www-authenticate')).toContain('Basic');
  for (let time = 0; time < 11; time += 1) {
    expect(await call('GET', 'App/user', undefined, { 'x-api-key': 'no' })).toMatchObject({ status: 401 });
  }
  expect(await call('GET', 'App/user')).toMatchObject({ status: 403 });
});

test('EspoCRM refuses what the role does not allow, unknown paths and other methods', async () => {
  const { crm, call } = await setUp({ rights: { create: 'no' }, hiddenFields: ['industry'] });
  const id = crm.addLead(lead);

  const refused = await call('POST', 'Lead', lead);
  expect(refused).toMatchObject({ status: 403, body: undefined });
  expect(refused.headers.get('x-status-reason')).toBe('No create access.');
  expect(await call('GET', where('industry', 'Retail'))).toMatchObject({ status: 400 });
  expect(await call('DELETE', `Lead/${id}`)).toMatchObject({ status: 403 });
  expect(await call('GET', 'Nothing')).toMatchObject({ status: 404 });
  expect(await call('GET', 'Lead/nobody')).toMatchObject({ status: 404 });
  expect(await call('POST', `Lead/${id}`, lead)).toMatchObject({ status: 405 });
  expect((await fetch(`${crm.url}/Lead`)).status).toBe(404);
});

test('EspoCRM shows what the key may do in more than 64 KiB, and which fields leads have', async () => {
  const { call } = await setUp({ rights: { edit: 'no' }, customFields: ['cWebLeadRef'] });
  const { call: callWithout } = await setUp({ rights: 'none' });

  const user = await call('GET', 'App/user');
  expect(user.body).toMatchObject({ acl: { table: { Lead: { create: 'yes', edit: 'no' } } } });
  expect(JSON.stringify(user.body).length).toBeGreaterThan(64 * 1024);
  expect((await callWithout('GET', 'App/user')).body).not.toHaveProperty('acl.table.Lead');
  expect(await call('GET', 'Metadata?key=entityDefs.Lead.fields.cWebLeadRef')).toMatchObject({
    body: { type: 'varchar', maxLength: 100 },
  });
  expect(await call('GET', 'Metadata?key=entityDefs.Lead.fields.no')).toMatchObject({ body: undefined });
});

test('EspoCRM finds by nested conditions, in order of age, and refuses ones it does not know', async () => {
  const { crm, call } = await setUp();
  for (const firstName of ['Ada', 'Bob', 'Cleo']) crm.addLead({ firstName });
  const is = (value: string) => ({ type: 'equals', attribute: 'firstName', value });
  const search = { where: [{ type: 'or', value: [is('ada'), is('CLEO')] }], maxSize: 1 };

  const found = await call('GET', `Lead?searchParams=${encodeURIComponent(JSON.stringify(search))}`);

  expect(found).toMatchObject({ body: { total: 2, list: [{ firstName: 'Cleo' }] } });
  expect(await call('GET', where('shoeSize', '46'))).toMatchObject({ status: 400 });
  expect(await call('GET', where('firstName', 'Ada', 'where', 'is'))).toMatchObject({ status: 400 });
  expect(await call('GET', 'Lead?maxSize=201')).toMatchObject({ status: 403 });
});

test('EspoCRM 8 takes loose phone numbers, and passes over the condition under its newer name', async () => {
  const { crm, call } = await setUp({ majorVersion: 8, acceptsLoosePhones: true });
  crm.addLead({ firstName: 'Bob' });

  expect(await call('POST', 'Lead', { ...lead, phoneNumber: '030 1234567' })).toMatchObject({ status: 200 });
  expect(await call('GET', where('firstName', 'Ada'))).toMatchObject({ body: { total: 1 } });
  expect(await call('GET', where('firstName', 'Ada', 'whereGroup'))).toMatchObject({ body: { total: 2 } });
});

test('EspoCRM takes a post for a lead it has, a new one each time', async () => {
  const { crm, call } = await setUp();
  const parentId = crm.addLead(lead);
  const note = { type: 'Post', parentType: 'Lead', parentId, post: 'Hello' };

  await call('POST', 'Note', note);
  await call('POST', 'Note', note);

  expect(crm.notes).toMatchObject([{ parentId, post: 'Hello' }, { parentId }]);
  expect(await call('GET', `Lead/${parentId}/stream`)).toMatchObject({ body: { total: 2 } });
  expect(await call('POST', 'Note', { ...note, parentId: 'nobody' })).toMatchObject({ status: 403 });
});
