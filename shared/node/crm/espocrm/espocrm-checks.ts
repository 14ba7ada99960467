import * as v from 'valibot';
import { fail, pass } from '../../monitoring/check.ts';
import { ResponseError } from '../../outbound/delivery-error.ts';
import { MAX_LISTING_BYTES } from '../../outbound/outbound-client.ts';
import { explainByStatus, refuse, runChecksInOrder, type CrmCheckOutcome, type StatusMeanings } from '../crm-checks.ts';
import type { CallEspocrm } from './espocrm-api.ts';

/** How much of a scope a role gives: `yes`, `all`, `team`, `own` or `no`. */
const level = v.fallback(v.optional(v.string()), undefined);
const noRights = { create: 'no', read: 'no', edit: 'no', stream: 'no' };
/** A scope that the role doesn't give is absent. */
const rightsSchema = v.fallback(
  v.object({ create: level, read: level, edit: level, stream: level }),
  noRights,
);
/** Of single fields those that the role restricts. */
const fieldRights = v.record(v.string(), v.fallback(v.object({ read: level, edit: level }), {}));
const userSchema = v.object({
  acl: v.object({
    table: v.object({ Lead: rightsSchema }),
    fieldTable: v.fallback(v.object({ Lead: v.fallback(fieldRights, {}) }), { Lead: {} }),
  }),
});
type Rights = v.InferOutput<typeof userSchema>['acl'];

const definition = v.looseObject({
  required: v.fallback(v.optional(v.boolean()), false),
  disabled: v.fallback(v.optional(v.boolean()), false),
  default: v.optional(v.unknown()),
});
const definitionsSchema = v.record(v.string(), v.fallback(definition, { required: false, disabled: false }));

const meanings: StatusMeanings = {
  401: { check: 'credentials', detail: 'It refuses ESPOCRM_API_KEY; copy the API user’s key again' },
  403: { check: 'rights', detail: 'It forbids the call; give the API user an active role' },
  404: { check: 'address', detail: 'It doesn’t know the call; set the right ESPOCRM_URL' },
  429: { check: 'limits', detail: 'There were too many calls; try again later' },
};

const explainFailure = explainByStatus({ crm: 'EspoCRM', setting: 'ESPOCRM_URL', meanings });

/** @param filled the fields of a lead that an export fills */
function checkRights({ table: { Lead: levels }, fieldTable }: Rights, filled: readonly string[]): CrmCheckOutcome {
  if (levels.create === 'no' || levels.read === 'no') {
    return refuse('The API user’s role doesn’t let it create and read leads.');
  }
  if (levels.read !== 'all') {
    return fail(`The role lets the API user read only some leads (${levels.read ?? 'unknown'}); give it “all”, or a retry makes a second lead.`);
  }
  // What is sent for such a field is lost without an error.
  const closed = filled.filter((field) => [fieldTable.Lead[field]?.read, fieldTable.Lead[field]?.edit].includes('no'));
  if (closed.length > 0) return fail(`The role doesn’t allow reading and editing ${closed.join(', ')} of a lead.`);
  if (levels.stream !== 'all') {
    return fail('The role doesn’t allow the stream of all leads, where requests of a known address are posted.');
  }
  if (levels.edit === 'no') {
    return pass('Leads may be created and posted on; what is empty in one stays so, because the role may not edit it.');
  }

  return pass('Leads may be created, read, edited and posted on.');
}

/** Those that every lead fills, whatever the visitor left out. */
const alwaysFilled = ['name', 'lastName', 'accountName', 'emailAddress', 'source', 'description'];

function checkFields(
  known: v.InferOutput<typeof definitionsSchema>,
  filled: readonly string[],
): CrmCheckOutcome {
  const missing = filled.filter((field) => !known[field] || known[field].disabled);
  if (missing.length > 0) return fail(`A lead lacks ${missing.join(', ')}, which the export fills.`);
  const demanded = Object.entries(known)
    .filter(([, { required, default: value }]) => required && (value ?? '') === '')
    .map(([field]) => field)
    .filter((field) => !alwaysFilled.includes(field));

  return demanded.length === 0
    ? pass('A lead has every field that is filled, and requires no other.')
    : fail(`A lead requires ${demanded.join(', ')}, which the export may leave empty.`);
}

/** The definitions of a lead's fields; undefined when EspoCRM doesn't show them, as before 8.2. */
async function readDefinitions(call: CallEspocrm, signal: AbortSignal) {
  const path = 'Metadata?key=entityDefs.Lead.fields';

  try {
    const known = await call({ path, maxResponseBytes: MAX_LISTING_BYTES, signal }, definitionsSchema);

    return known['lastName'] ? known : undefined;
  } catch (error) {
    if (error instanceof ResponseError && [400, 403, 404].includes(error.status)) return undefined;

    throw error;
  }
}

/**
 * Checks address, key, the role's rights and the fields, without writing; see `CrmProvider.test`.
 * @param fields the fields of a lead that an export fills
 */
export function testEspocrm(call: CallEspocrm, fields: readonly string[], signal: AbortSignal) {
  let rights: Rights = { table: { Lead: noRights }, fieldTable: { Lead: {} } };
  const testCredentials = async () => {
    const path = 'App/user';
    rights = (await call({ path, maxResponseBytes: MAX_LISTING_BYTES, signal }, userSchema)).acl;

    return pass('The key is valid.');
  };
  const testFields = async () => {
    const known = await readDefinitions(call, signal);

    return known ? checkFields(known, fields) : pass('EspoCRM doesn’t say which fields a lead has.');
  };

  return runChecksInOrder(
    [
      { name: 'credentials', run: testCredentials },
      { name: 'rights', run: () => checkRights(rights, fields) },
      { name: 'fields', run: testFields },
    ],
    explainFailure,
  );
}
