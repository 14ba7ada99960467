import * as v from 'valibot';
import { Day } from '../../../time.ts';
import { DeliveryError } from '../../deliveries/delivery-error.ts';
import { fail, pass, warn } from '../../monitoring/check.ts';
import { refuse, runChecksInOrder, type CrmCheckOutcome, type ExplainFailure, type StatusMeanings } from '../crm-checks.ts';
import { OdooError, OLDEST_VERSION, type OdooApi } from './odoo-api.ts';

const meanings: StatusMeanings = {
  401: {
    check: 'credentials',
    detail: 'It refuses ODOO_API_KEY: wrong, revoked, or past its three months',
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

const explainFailure: ExplainFailure = (error) => {
  if (error.reason === 'odoo-malformed-response') {
    return { check: 'address', detail: 'The response is not one of Odoo’s API; is ODOO_URL right?' };
  }
  if (!(error instanceof OdooError)) return undefined;
  const other = { check: 'address', detail: 'It responds with an error' };
  const { check, detail } = meanings[error.status] ?? other;

  return { check, detail: `${detail} (${error.reason}).` };
};

async function testVersion(api: OdooApi, signal: AbortSignal): Promise<CrmCheckOutcome> {
  const version = await api.readVersion(signal);
  if (version === undefined) return fail('The address is not an Odoo’s; is ODOO_URL right?');
  if (version >= OLDEST_VERSION) return pass(`It is Odoo ${version}.`);

  return fail(
    `It is Odoo ${version}, which is too old: the export needs ${OLDEST_VERSION} or newer.`,
  );
}

async function testCredentials(api: OdooApi, signal: AbortSignal): Promise<CrmCheckOutcome> {
  const named = { domain: [], fields: ['id'], limit: 1 };
  const leads = v.array(v.object({ id: v.number() }));
  await api.call({ model: 'crm.lead', method: 'search_read', named, signal }, leads);

  return pass('The key is valid; leads may be read.');
}

async function testRights(api: OdooApi, signal: AbortSignal): Promise<CrmCheckOutcome> {
  const question = { model: 'crm.lead', method: 'has_access', named: { operation: 'create' }, signal };

  return (await api.call(question, v.boolean()))
    ? pass('Leads may be created.')
    : refuse('The key’s user may not create leads; give it a right to Sales.');
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
  const context = v.object({ uid: v.number() });
  const keys = v.array(v.object({ expiration_date: v.pipe(v.string(), v.regex(DATE)) }));

  try {
    const { uid } = await api.call(
      { model: 'res.users', method: 'context_get', named: {}, signal },
      context,
    );
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

/** Time to create another key before the exports stop. */
const KEY_WARNING = 14 * Day;

async function testKeyExpiry(api: OdooApi, signal: AbortSignal): Promise<CrmCheckOutcome> {
  const end = await readKeyExpiry(api, signal);
  const rule = 'Every key of Odoo expires at most three months after its creation; set a new one before.';
  if (end === undefined) return pass(rule);
  const report = Date.parse(end) - Date.now() > KEY_WARNING ? pass : warn;

  return report(`The first key of this user expires on ${end}. ${rule}`);
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
