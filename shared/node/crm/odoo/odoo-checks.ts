import * as v from 'valibot';
import { DeliveryError } from '../../outbound/delivery-error.ts';
import { fail, pass, warn } from '../../monitoring/check.ts';
import {
  explainByStatus,
  refuse,
  reportUntil,
  runChecksInOrder,
  type CrmCheckOutcome,
  type StatusMeanings,
} from '../crm-checks.ts';
import { oldestVersions, type OdooApi } from './odoo-api.ts';

const meanings: StatusMeanings = {
  401: {
    check: 'credentials',
    detail: 'It refuses ODOO_API_KEY: wrong, revoked, expired, or of another user than ODOO_LOGIN',
  },
  403: {
    check: 'rights',
    detail: 'The key’s user may not use crm.lead; give it a right to Sales',
  },
  404: {
    check: 'database',
    detail: 'There is no crm.lead; set the right ODOO_DATABASE, and install the CRM app',
  },
};

const explainFailure = explainByStatus({ crm: 'Odoo', setting: 'ODOO_URL', meanings });

async function testVersion(api: OdooApi, signal: AbortSignal): Promise<CrmCheckOutcome> {
  const version = await api.readVersion(signal);
  if (version === undefined && api.protocol === 'JSON-RPC') {
    return fail('The address is not an Odoo’s, or its /jsonrpc is switched off; set the right ODOO_URL, or unset ODOO_LOGIN (Odoo 19 or newer).');
  }
  if (version === undefined) return fail('The address is not an Odoo’s; is ODOO_URL right?');
  const { 'JSON-2': firstWithJson2, 'JSON-RPC': oldest } = oldestVersions;
  if (version < oldest || (version < firstWithJson2 && api.protocol === 'JSON-2')) {
    return fail(
      `It is Odoo ${version}, which is too old: the export needs ${firstWithJson2} or newer, or with ODOO_LOGIN ${oldest}.`,
    );
  }
  if (version < firstWithJson2 || api.protocol === 'JSON-2') return pass(`It is Odoo ${version}.`);

  return warn(`It is Odoo ${version}; unset ODOO_LOGIN, because JSON-RPC, which needs it, ends with Odoo 22.`);
}

async function testCredentials(api: OdooApi, signal: AbortSignal): Promise<CrmCheckOutcome> {
  const named = { domain: [], fields: ['id'], limit: 1 };
  const leads = v.array(v.object({ id: v.number() }));
  await api.call({ model: 'crm.lead', method: 'search_read', named, signal }, leads);

  return pass('The key is valid; leads may be read.');
}

/** The group behind the right All Documents to Sales; administrators of Sales are in it. */
const ALL_DOCUMENTS = 'sales_team.group_sale_salesman_all_leads';

/** The id of the key's user. */
async function readUserId(api: OdooApi, signal: AbortSignal): Promise<number> {
  const context = v.object({ uid: v.number() });

  return (await api.call({ model: 'res.users', method: 'context_get', named: {}, signal }, context)).uid;
}

async function testRights(api: OdooApi, signal: AbortSignal): Promise<CrmCheckOutcome> {
  const question = { model: 'crm.lead', method: 'has_access', named: { operation: 'create' }, signal };

  if (!(await api.call(question, v.boolean()))) {
    return refuse('The key’s user may not create leads; give it the right All Documents to Sales.');
  }
  const uid = await readUserId(api, signal);
  const named = { ids: [uid], group_ext_id: ALL_DOCUMENTS };

  return (await api.call({ model: 'res.users', method: 'has_group', named, signal }, v.boolean()))
    ? pass('Leads may be created, and all of them found again.')
    : fail('The key’s user has Own Documents Only; give it All Documents, or a retry makes a second lead of one that sales took.');
}

const testFields = (names: readonly string[]) => async (api: OdooApi, signal: AbortSignal): Promise<CrmCheckOutcome> => {
  const named = { allfields: names, attributes: ['type'] };
  const fields = v.record(v.string(), v.unknown());
  const known = await api.call({ model: 'crm.lead', method: 'fields_get', named, signal }, fields);
  const missing = names.filter((name) => !(name in known));

  return missing.length === 0
    ? pass('crm.lead has every field that is filled.')
    : fail(`crm.lead lacks ${missing.join(', ')}, which the export fills.`);
};

/** `2027-02-10 00:00:00`, in UTC. */
const DATE = /^\d{4}-\d{2}-\d{2} /;

/** The day on which the first of the user's keys expires; undefined when Odoo doesn't say. */
async function readKeyExpiry(api: OdooApi, signal: AbortSignal): Promise<string | undefined> {
  const keys = v.array(v.object({ expiration_date: v.pipe(v.string(), v.regex(DATE)) }));

  try {
    const uid = await readUserId(api, signal);
    const domain = [
      ['user_id', '=', uid],
      ['expiration_date', '!=', false],
    ];
    const named = { domain, fields: ['expiration_date'], order: 'expiration_date', limit: 1 };
    const [first] = await api.call(
      { model: 'res.users.apikeys', method: 'search_read', named, signal },
      keys,
    );

    return first?.expiration_date.slice(0, 10);
  } catch (error) {
    // Not every user may read this; an error that matters shows in the other checks.
    if (error instanceof DeliveryError) return undefined;

    throw error;
  }
}

async function testKeyExpiry(api: OdooApi, signal: AbortSignal): Promise<CrmCheckOutcome> {
  const end = await readKeyExpiry(api, signal);
  if (end !== undefined) return reportUntil(end, `The first key of this user expires on ${end}; set a new one before.`);

  return pass(
    api.protocol === 'JSON-2'
      ? 'Every key of Odoo expires at most three months after its creation; set a new one before.'
      : 'Odoo doesn’t say that a key of this user expires.',
  );
}

/**
 * Checks version, key, rights and fields, and reports when the key expires; see `CrmProvider.test`.
 * @param fields the fields of `crm.lead` that an export writes
 */
export function testOdoo(api: OdooApi, fields: readonly string[], signal: AbortSignal) {
  const check = (name: string, run: (api: OdooApi, signal: AbortSignal) => Promise<CrmCheckOutcome>) => ({
    name,
    run: () => run(api, signal),
  });

  return runChecksInOrder(
    [
      check('version', testVersion),
      check('credentials', testCredentials),
      check('rights', testRights),
      check('fields', testFields(fields)),
      check('key', testKeyExpiry),
    ],
    explainFailure,
  );
}
