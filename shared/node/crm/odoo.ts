import * as v from 'valibot';
import type { CrmSettingsOf } from '../config/settings.ts';
import { fail, pass, warn } from '../monitoring/check.ts';
import { DeliveryError } from '../outbound/delivery-error.ts';
import type { OutboundClient } from '../outbound/outbound-client.ts';
import { explainByStatus, refuse, reportExpiry, type CrmCheck, type CrmCheckOutcome } from './crm-checks.ts';
import { createVendorProvider, type CrmStep, type StepRecord, type Values } from './export-lead.ts';
import { mapFields, renderLeadHtml, renderLeadText, type MappedField } from './lead-fields.ts';
import { createOdooConnector, oldestVersions, type OdooApi } from './odoo-api.ts';

/** Standard fields of `crm.lead`. Omits `type`, because Odoo hides leads if its Leads feature is off. */
const leadFields: readonly MappedField[] = [
  { to: 'name', from: ({ company }) => `${company}: assessment request` },
  { to: 'contact_name', from: ({ name }) => name },
  { to: 'partner_name', from: ({ company }) => company },
  { to: 'email_from', from: ({ email }) => email.toLowerCase() },
  { to: 'phone', from: ({ phone }) => phone },
  // A retry uses this standard field to find the lead, so no custom field is needed.
  { to: 'referred', from: ({ submission_id: id }) => id },
];

/** The UTM values that `crm.lead` stores as references to `utm.source`, `utm.medium` and `utm.campaign`. */
const utmKinds = ['source', 'medium', 'campaign'] as const;

const writtenFields = [...leadFields.map(({ to }) => to), ...utmKinds.map((kind) => `${kind}_id`), 'description', 'user_id'];

const id = v.pipe(v.number(), v.integer());
const foundSchema = v.array(v.object({ id }));

/** Finds a record by one field's value. Includes archived records, because Odoo archives lost leads. */
async function find({ call }: OdooApi, model: string, field: string, value: unknown): Promise<StepRecord | undefined> {
  const named = { domain: [[field, '=', value]], fields: ['id'], limit: 1, context: { active_test: false } };
  const [found] = await call(model, 'search_read', named, foundSchema);

  return found && { id: String(found.id) };
}

async function create({ call }: OdooApi, model: string, values: Values): Promise<string> {
  return String((await call(model, 'create', { vals_list: [values] }, v.tuple([id])))[0]);
}

/** Returns whether `description` is HTML. Before version 15 it is plain text. */
async function takesHtml({ protocol, readVersion }: OdooApi): Promise<boolean> {
  return protocol === 'JSON-2' || ((await readVersion()) ?? oldestVersions['JSON-2']) >= 15;
}

function makeUtmStep(api: OdooApi, kind: (typeof utmKinds)[number]): CrmStep {
  const model = `utm.${kind}`;

  return {
    name: kind,
    // The description also contains the name.
    isOptional: true,
    // Odoo would rename a second record with the same name.
    lock: ({ record }) => `${model} ${record.source[`utm_${kind}`]}`,
    values: ({ record: { source } }) => (source[`utm_${kind}`] ? { name: source[`utm_${kind}`] } : undefined),
    find: ({ record }) => find(api, model, 'name', record.source[`utm_${kind}`]),
    create: (_task, values) => create(api, model, values),
  };
}

const listSteps = (api: OdooApi): readonly CrmStep[] => [
  ...utmKinds.map((kind) => makeUtmStep(api, kind)),
  {
    name: 'lead',
    values: ({ record, ids }) => ({
      ...mapFields(record, leadFields),
      ...Object.fromEntries(utmKinds.filter((kind) => kind in ids).map((kind) => [`${kind}_id`, Number(ids[kind])])),
      // Otherwise the API user would own the lead, which would hide it from salespeople and automatic assignment.
      user_id: false,
    }),
    find: ({ record }) => find(api, 'crm.lead', 'referred', record.submission_id),
    create: async ({ record }, values) => {
      const renderLead = (await takesHtml(api)) ? renderLeadHtml : renderLeadText;

      return create(api, 'crm.lead', { ...values, description: renderLead(record) });
    },
  },
];

async function testVersion({ protocol, readVersion }: OdooApi): Promise<CrmCheckOutcome> {
  const version = await readVersion();
  if (version === undefined) {
    return fail(
      protocol === 'JSON-RPC'
        ? 'No Odoo server responds at the address, or its /jsonrpc is switched off; correct ODOO_URL, or unset ODOO_LOGIN (Odoo 19 or newer).'
        : 'No server with Odoo 19 or newer responds at the address; correct ODOO_URL, or set ODOO_LOGIN (Odoo 14–18).',
    );
  }
  const { 'JSON-2': firstWithJson2, 'JSON-RPC': oldest } = oldestVersions;
  if (version < oldestVersions[protocol]) {
    return fail(`Odoo ${version} is too old: the minimum is ${firstWithJson2}, or ${oldest} with ODOO_LOGIN.`);
  }
  if (version < firstWithJson2 || protocol === 'JSON-2') return pass(`The server runs Odoo ${version}.`);

  return warn(`The server runs Odoo ${version}; unset ODOO_LOGIN, because it uses JSON-RPC, which Odoo 22 removes.`);
}

async function testCredentials({ call }: OdooApi): Promise<CrmCheckOutcome> {
  await call('crm.lead', 'search_read', { domain: [], fields: ['id'], limit: 1 }, foundSchema);

  return pass('The key is valid and can read leads.');
}

/** The group for users with All Documents in Sales. Administrators belong to it. */
const ALL_DOCUMENTS = 'sales_team.group_sale_salesman_all_leads';

const readUserId = async ({ call }: OdooApi): Promise<number> =>
  (await call('res.users', 'context_get', {}, v.object({ uid: v.number() }))).uid;

async function testRights(api: OdooApi): Promise<CrmCheckOutcome> {
  if (!(await api.call('crm.lead', 'has_access', { operation: 'create' }, v.boolean()))) {
    return refuse('The key’s user may not create leads; give it All Documents in Sales.');
  }
  const named = { ids: [await readUserId(api)], group_ext_id: ALL_DOCUMENTS };

  return (await api.call('res.users', 'has_group', named, v.boolean()))
    ? pass('The key’s user can create leads and read all leads.')
    : fail('The key’s user has Own Documents Only; give it All Documents, or a retry creates a second lead if a salesperson has taken the first.');
}

async function testFields({ call }: OdooApi): Promise<CrmCheckOutcome> {
  const named = { allfields: writtenFields, attributes: ['type'] };
  const known = await call('crm.lead', 'fields_get', named, v.record(v.string(), v.unknown()));
  const missing = writtenFields.filter((name) => !(name in known));

  return missing.length === 0
    ? pass('crm.lead has every field that the export fills.')
    : fail(`crm.lead lacks ${missing.join(', ')}, which the export fills.`);
}

const keysSchema = v.array(v.object({ expiration_date: v.pipe(v.string(), v.regex(/^\d{4}-\d{2}-\d{2} /)) }));

/** Returns the day (UTC) on which the first of the user's keys expires; undefined if Odoo doesn't say. */
async function readKeyEnd(api: OdooApi): Promise<string | undefined> {
  try {
    const domain = [
      ['user_id', '=', await readUserId(api)],
      ['expiration_date', '!=', false],
    ];
    const named = { domain, fields: ['expiration_date'], order: 'expiration_date', limit: 1 };
    const [first] = await api.call('res.users.apikeys', 'search_read', named, keysSchema);

    return first?.expiration_date.slice(0, 10);
  } catch (error) {
    // Not every user is allowed to read keys. The other checks report the errors that matter.
    if (error instanceof DeliveryError) return undefined;

    throw error;
  }
}

async function testKeyEnd(api: OdooApi): Promise<CrmCheckOutcome> {
  const end = await readKeyEnd(api);
  if (end !== undefined) return reportExpiry(end, `One of this user’s keys expires on ${end}; replace it before then.`);

  return pass(
    api.protocol === 'JSON-2'
      ? 'Odoo keys expire within three months of their creation; set a new key before then.'
      : 'Odoo doesn’t report an expiry date for this user’s keys.',
  );
}

const checks = { version: testVersion, credentials: testCredentials, rights: testRights, fields: testFields, key: testKeyEnd };

const listChecks = (api: OdooApi): readonly CrmCheck[] =>
  Object.entries(checks).map(([name, run]) => ({ name, run: () => run(api) }));

/** Creates a `crm.lead` for every submission. Needs Odoo 19 or newer, or 14 or newer with a login. */
export const createOdooProvider = (settings: CrmSettingsOf<'odoo'>, client: OutboundClient) =>
  createVendorProvider({
    connect: createOdooConnector(settings, client),
    steps: listSteps,
    lead: 'lead',
    checks: listChecks,
    explainFailure: explainByStatus({
      crm: 'Odoo',
      url: 'ODOO_URL',
      key: 'ODOO_API_KEY',
      rights: 'give the key’s user access to Sales',
      meanings: {
        401: { check: 'credentials', detail: 'ODOO_API_KEY is wrong, expired, revoked, or not ODOO_LOGIN’s' },
        404: { check: 'database', detail: 'There is no crm.lead; check ODOO_DATABASE, and install the CRM app' },
      },
    }),
  });
