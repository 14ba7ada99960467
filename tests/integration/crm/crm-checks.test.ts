import { expect, test } from 'vitest';
import { Day, Second } from '../../../shared/time.ts';
import { openRecordedCrm, type Answer, type Recording } from './recorded-crm.ts';
import { espocrm } from './recordings/espocrm.ts';
import { hubspot } from './recordings/hubspot.ts';
import { odoo, odooRpc } from './recordings/odoo.ts';
import { fields, salesforce } from './recordings/salesforce.ts';
import { twenty } from './recordings/twenty.ts';

const { signal } = new AbortController();

/** A call, the CRM's response, and the expected result of `test`. */
interface Row {
  readonly recording: Recording;
  readonly on: RegExp;
  readonly answer: Answer;
  readonly check: string;
  readonly words: string;
  readonly state?: 'fail' | 'ok' | 'warn';
  readonly isRefusal?: true;
}

const makeUser = (rights: object): Answer => [
  200,
  { acl: { table: { Lead: { create: 'yes', read: 'all', stream: 'all', ...rights } } } },
];
const makeDefinitions = (changes: object): Answer => [
  200,
  {
    ...Object.fromEntries(
      ['firstName', 'lastName', 'accountName', 'emailAddress', 'phoneNumber', 'source', 'description'].map((name) => [name, {}]),
    ),
    ...changes,
  },
];
const espo = { recording: espocrm, on: /App\/user/, check: 'rights' } as const;
const espoFields = { recording: espocrm, on: /Metadata/, check: 'fields' } as const;
const espocrmRows: readonly Row[] = [
  { ...espo, answer: makeUser({ create: 'no' }), words: 'create and read', isRefusal: true },
  { ...espo, answer: makeUser({ read: 'team' }), words: 'a retry can create a second lead' },
  { ...espo, answer: makeUser({ stream: 'own' }), words: 'stream of all leads' },
  { ...espoFields, answer: makeDefinitions({ source: { disabled: true } }), words: 'lacks source' },
  { ...espoFields, answer: [403], words: 'doesn’t say', state: 'ok' },
];

const makeScopes = (...list: string[]): Answer => [200, { scopes: list }];
const hub = { recording: hubspot, on: /access-token-info/, check: 'scopes' } as const;
const hubspotRows: readonly Row[] = [
  { ...hub, answer: makeScopes('crm.objects.contacts.read'), words: 'lacks crm.objects.contacts.write;', isRefusal: true },
  { ...hub, answer: [404, {}], words: 'doesn’t say', state: 'ok' },
  { recording: hubspot, on: /properties/, answer: [200, { results: [{ name: 'email' }] }], check: 'fields', words: 'no property firstname, lastname, company, phone' },
  { recording: hubspot, on: /properties/, answer: [477], check: 'limits', words: 'another data center' },
];

const describeLead = (change: (field: (typeof fields)[number]) => object, rights: object = {}): Answer => [
  200,
  { createable: true, updateable: true, fields: fields.map((field) => ({ ...field, ...change(field) })), ...rights },
];
const changeField = (name: string, changes: object) => describeLead((field) => (field.name === name ? changes : {}));
const lead = { recording: salesforce, on: /describe/ } as const;
const login = { recording: salesforce, on: /oauth2/, check: 'credentials', isRefusal: true } as const;
const salesforceRows: readonly Row[] = [
  { ...lead, answer: describeLead(() => ({}), { createable: false }), check: 'rights', words: 'may not create leads', isRefusal: true },
  { ...lead, answer: changeField('WebLeadId__c', { name: 'Other__c' }), check: 'external id', words: 'no field WebLeadId__c', isRefusal: true },
  { ...lead, answer: changeField('WebLeadId__c', { externalId: false, length: 18 }), check: 'external id', words: 'must be Text(36)', isRefusal: true },
  { ...lead, answer: changeField('Phone', { updateable: false }), check: 'fields', words: 'can’t write Phone;', isRefusal: true },
  { ...lead, answer: [403, [{ errorCode: 'REQUEST_LIMIT_EXCEEDED' }]], check: 'limits', words: '24-hour limit' },
  { ...login, answer: [400, { error: 'invalid_client_id' }], words: 'SALESFORCE_CLIENT_ID' },
  { ...login, answer: [400, { error: 'invalid_client' }], words: 'SALESFORCE_CLIENT_SECRET' },
];

const rpcVersion = (version: number): Answer => [200, { result: { server_version_info: [version, 0] } }];
const odooRows: readonly Row[] = [
  { recording: odoo, on: /web\/version/, answer: [200, { version_info: [18, 0] }], check: 'version', words: 'Odoo 18 is too old' },
  { recording: odoo, on: /has_access/, answer: [200, false], check: 'rights', words: 'may not create', isRefusal: true },
  { recording: odoo, on: /has_group/, answer: [200, false], check: 'rights', words: 'All Documents' },
  { recording: odoo, on: /fields_get/, answer: [200, { name: {} }], check: 'fields', words: 'lacks contact_name' },
  { recording: odoo, on: /crm\.lead\/search_read/, answer: [404], check: 'database', words: 'install the CRM app', isRefusal: true },
  { recording: odoo, on: /apikeys/, answer: [403], check: 'key', words: 'three months', state: 'ok' },
  { recording: odooRpc, on: /jsonrpc/, answer: rpcVersion(13), check: 'version', words: 'Odoo 13 is too old' },
  { recording: odooRpc, on: /jsonrpc/, answer: rpcVersion(19), check: 'version', words: 'unset ODOO_LOGIN', state: 'warn' },
  { recording: odooRpc, on: /jsonrpc/, answer: [404], check: 'version', words: '/jsonrpc is switched off' },
];

test.each([...espocrmRows, ...hubspotRows, ...salesforceRows, ...odooRows])(
  '$recording.settings.provider: the $check check reports “$words”',
  async ({ recording, on, answer, check, words, state = 'fail', isRefusal }) => {
    const { provider, answerOnce } = openRecordedCrm(recording);
    answerOnce(on, answer);

    const results = await provider.test(signal);

    const detail = expect.stringContaining(words) as string;
    expect(results.find((result) => result.check === check)).toEqual({ check, state, detail, ...(isRefusal && { isRefusal }), ...(check === 'limits' && { isLimit: true }) });
    expect(results.filter((result) => result.state === 'fail')).toHaveLength(state === 'fail' ? 1 : 0);
  },
);

test.each([
  [60, 'ok'],
  [5, 'warn'],
])('a key that expires in %i days is reported as %s', async (days, state) => {
  const end = new Date(Date.now() + days * Day);
  const claims = Buffer.from(JSON.stringify({ exp: Math.floor(end.getTime() / Second) })).toString('base64url');
  const { provider } = openRecordedCrm(twenty, { settings: { apiKey: `e30.${claims}.e30` } });

  const detail = expect.stringContaining(end.toISOString().slice(0, 10)) as string;
  expect((await provider.test(signal)).at(-1)).toEqual({ check: 'key', state, detail });
});
