/**
 * Odoo 19.0 over JSON-2, and 16.0 over JSON-RPC: fields compared with addons/crm/models/crm_lead.py and calls with
 * addons/rpc/controllers/json2.py, in odoo/odoo at 09df5d19.
 */
import type { Answer, Exchange, Recording } from '../recorded-crm.ts';
import { sampleNoteHtml, SUBMISSION_ID } from '../sample-lead.ts';

const lead = {
  name: 'Sweets & <Sons>: assessment request',
  contact_name: 'Ada King Lovelace',
  partner_name: 'Sweets & <Sons>',
  email_from: 'ada@example.org',
  phone: '+43 (0)1 234 567',
  referred: SUBMISSION_ID,
  source_id: 11,
  medium_id: 12,
  campaign_id: 13,
  user_id: false,
  description: sampleNoteHtml,
};
const written = [
  ...['name', 'contact_name', 'partner_name', 'email_from', 'phone', 'referred'],
  ...['source_id', 'medium_id', 'campaign_id', 'description', 'user_id'],
];
const ALL_DOCUMENTS = 'sales_team.group_sale_salesman_all_leads';
const KEYS = [
  ['user_id', '=', 2],
  ['expiration_date', '!=', false],
];

type Named = Readonly<Record<string, unknown>>;
/** Makes a method call from named arguments. JSON-RPC takes the arguments listed in `positional` by position. */
type Call = (model: string, method: string, named: Named, positional?: readonly string[]) => Pick<Exchange, 'call' | 'body'>;
type Result = (value: unknown) => Answer;

function listRecords(call: Call, result: Result): Exchange[] {
  const records = [
    ['source', 'utm.source', 'name', { name: 'newsletter' }, 11],
    ['medium', 'utm.medium', 'name', { name: 'mail' }, 12],
    ['campaign', 'utm.campaign', 'name', { name: 'autumn' }, 13],
    ['lead', 'crm.lead', 'referred', lead, 14],
  ] as const;

  return records.flatMap(([record, model, key, values, id]): Exchange[] => {
    const domain = [[key, '=', (values as Named)[key]]];
    const lookUp = { domain, fields: ['id'], limit: 1, context: { active_test: false } };

    return [
      { ...call(model, 'search_read', lookUp, ['domain']), record, answer: result([]), own: result([{ id }]) },
      { ...call(model, 'create', { vals_list: [values] }, ['vals_list']), record, effect: 'create', answer: result([id]) },
    ];
  });
}

const listChecks = (call: Call, result: Result): Exchange[] => [
  { ...call('crm.lead', 'search_read', { domain: [], fields: ['id'], limit: 1 }, ['domain']), answer: result([]) },
  { ...call('res.users', 'context_get', {}), answer: result({ lang: 'en_US', uid: 2 }) },
  {
    ...call('crm.lead', 'fields_get', { allfields: written, attributes: ['type'] }),
    answer: result(Object.fromEntries(written.map((name) => [name, { type: 'char' }]))),
  },
  {
    ...call('res.users.apikeys', 'search_read', { domain: KEYS, fields: ['expiration_date'], order: 'expiration_date', limit: 1 }, ['domain']),
    answer: result([{ expiration_date: '2127-02-10 00:00:00' }]),
  },
];

const checks = ['version', 'credentials', 'rights', 'fields', 'key'];
const json2: Call = (model, method, body) => ({ call: `POST /json/2/${model}/${method}`, body });
const plain: Result = (value) => [200, value];

export const odoo: Recording = {
  settings: { provider: 'odoo', url: 'https://odoo.example', database: 'company', login: undefined, apiKey: 'odoo-secret' },
  secret: 'odoo-secret',
  id: '14',
  checks,
  exchanges: [
    ...listRecords(json2, plain),
    { call: 'GET /web/version', answer: [200, { version: '19.0', version_info: [19, 0, 0, 'final', 0, ''] }] },
    { ...json2('crm.lead', 'has_access', { operation: 'create' }), answer: [200, true] },
    { ...json2('res.users', 'has_group', { ids: [2], group_ext_id: ALL_DOCUMENTS }), answer: [200, true] },
    ...listChecks(json2, plain),
  ],
};

const request = (service: string, method: string, args: readonly unknown[]) => ({
  call: 'POST /jsonrpc',
  body: { jsonrpc: '2.0', method: 'call', params: { service, method, args }, id: 1 },
});
const execute = (model: string, method: string, args: readonly unknown[], options: object) =>
  request('object', 'execute_kw', ['company', 2, 'odoo-secret', model, method, args, options]);
const rpc: Call = (model, method, named, positional = []) => {
  const options = Object.entries(named).filter(([name]) => !positional.includes(name));

  return execute(model, method, positional.map((name) => named[name]), Object.fromEntries(options));
};
const wrapped: Result = (result) => [200, { jsonrpc: '2.0', id: 1, result }];

export const odooRpc: Recording = {
  ...odoo,
  settings: { provider: 'odoo', url: 'https://odoo.example', database: 'company', login: 'site', apiKey: 'odoo-secret' },
  exchanges: [
    { ...request('common', 'authenticate', ['company', 'site', 'odoo-secret', {}]), answer: wrapped(2) },
    { ...request('common', 'version', []), answer: wrapped({ server_version_info: [16, 0, 0, 'final', 0, ''] }) },
    ...listRecords(rpc, wrapped),
    { ...execute('crm.lead', 'check_access_rights', ['create'], { raise_exception: false }), answer: wrapped(true) },
    { ...execute('res.users', 'has_group', [ALL_DOCUMENTS], {}), answer: wrapped(true) },
    ...listChecks(rpc, wrapped),
  ],
};
