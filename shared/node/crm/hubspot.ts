import * as v from 'valibot';
import { Hour, Second } from '../../time.ts';
import type { CrmSettingsOf } from '../config/settings.ts';
import { fail, pass } from '../monitoring/check.ts';
import type { OutboundClient, OutboundResponse } from '../outbound/outbound-client.ts';
import {
  createConnector,
  CrmError,
  hasStatus,
  type CrmConnection,
  type Refusal,
  errorCode,
  parseResponse,
  readResponse,
} from './crm-api.ts';
import { explainByStatus, refuse, type CrmCheck, type CrmCheckOutcome } from './crm-checks.ts';
import { createVendorProvider, findBySubmissionId, type CrmStep, type Task } from './export-lead.ts';
import { mapFields, renderLeadHtml, splitName, type MappedField } from './lead-fields.ts';

/** HubSpot's API version (HubSpot/HubSpot-public-api-spec-collection on GitHub). 2026-09 can't list notes with GET. */
const VERSION = '2026-03';
const OBJECTS = `/crm/objects/${VERSION}/`;

const contactFields: readonly MappedField[] = [
  { to: 'email', from: ({ email }) => email.toLowerCase() },
  { to: 'firstname', from: ({ name }) => splitName(name).first },
  { to: 'lastname', from: ({ name }) => splitName(name).last },
  { to: 'company', from: ({ company }) => company },
  { to: 'phone', from: ({ phone }) => phone },
];
const properties = contactFields.map(({ to }) => to);

/** HubSpot's error body. Any part may be missing. */
const problemSchema = v.object({
  category: errorCode,
  /** The limit that was exceeded. Only sent with status 429. */
  policyName: errorCode,
  errors: v.fallback(v.optional(v.array(v.object({ code: errorCode }))), undefined),
  /** Only the id in 'Existing ID: 123'; the rest may contain the lead's data. */
  message: v.fallback(
    v.optional(v.pipe(v.string(), v.transform((text) => /Existing ID: (\d+)/.exec(text)?.[1]))),
    undefined,
  ),
});

/** Returned while HubSpot moves the account to another data center, which takes up to a day. */
const MOVING = 477;

/** Returns the milliseconds to wait if HubSpot doesn't say how long. Its limits apply per ten seconds and per day. */
function getUsualWait(status: number, policy: string | undefined): number | undefined {
  if (status === MOVING || (status === 429 && policy === 'DAILY')) return 1 * Hour;

  return status === 429 ? 10 * Second : undefined;
}

function readRefusal(response: OutboundResponse, problem = parseResponse(response, problemSchema)): Refusal {
  const { status } = response;
  const code = problem?.errors?.[0]?.code ?? problem?.policyName;
  const existingId = status === 409 ? problem?.message : undefined;

  return {
    result: status === MOVING ? 'retry' : undefined,
    code: [problem?.category, code].filter((part) => part !== undefined).join('-') || undefined,
    waitsMs: getUsualWait(status, problem?.policyName),
    // The address may be a contact's secondary one, by which a lookup doesn't find the contact.
    isDuplicate: existingId !== undefined,
    existingId,
    refusedFields: code === 'INVALID_EMAIL' ? ['email'] : [],
  };
}

const id = v.pipe(v.string(), v.digits());
const createdSchema = v.object({ id });
const contactsSchema = v.object({
  results: v.optional(v.array(v.object({ id, properties: v.record(v.string(), v.nullish(v.string())) })), []),
  errors: v.optional(v.array(problemSchema), []),
});

/** Reads a contact by address or id. Uses POST because URLs are logged. Avoids the search API, whose index lags. */
async function findContact({ send }: CrmConnection, { record }: Task, existingId: string | undefined) {
  const key = existingId === undefined ? { idProperty: 'email' } : {};
  const inputs = [{ id: existingId ?? record.email.toLowerCase() }];
  const body = { ...key, inputs, properties, propertiesWithHistory: [] };
  const response = await send({ path: `${OBJECTS}contacts/batch/read`, body });
  const { results, errors } = readResponse('hubspot', response, contactsSchema);
  // Status 207: the batch was accepted but its only input failed.
  const problem = errors.find(({ category }) => category !== 'OBJECT_NOT_FOUND');
  const [contact] = results;
  if (!contact && problem) {
    throw new CrmError('hubspot', response, { ...readRefusal(response, problem), status: 500 });
  }

  return contact && { id: contact.id, empty: properties.filter((name) => !contact.properties[name]?.trim()) };
}

/** Association type for a note and its contact, from HubSpot's documentation. */
const NOTE_TO_CONTACT = { associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 202 };
/** How many notes to read. An earlier attempt's note is among the newest. */
const MAX_NOTES = 50;

const associationsSchema = v.object({
  results: v.array(v.object({ toObjectId: v.pipe(v.union([v.number(), v.string()]), v.transform(String), id) })),
});
const notesSchema = v.object({
  results: v.array(v.object({ id, properties: v.object({ hs_note_body: v.nullish(v.string(), '') }) })),
});

/** Finds an earlier attempt's note. Avoids the search API, whose index lags. */
async function findNote({ call }: CrmConnection, task: Task) {
  const path = `${OBJECTS}contacts/${task.ids['contact'] ?? ''}/associations/notes?limit=500`;
  const associations = await call({ path }, associationsSchema);
  // Newer notes have higher ids.
  const newest = associations.results
    .map(({ toObjectId }) => toObjectId)
    .sort((one, other) => Number(other) - Number(one))
    .slice(0, MAX_NOTES);
  if (newest.length === 0) return undefined;
  const body = { inputs: newest.map((noteId) => ({ id: noteId })), properties: ['hs_note_body'], propertiesWithHistory: [] };
  const { results } = await call({ path: `${OBJECTS}notes/batch/read`, body }, notesSchema);

  return findBySubmissionId(results, task, ({ properties: note }) => note.hs_note_body);
}

const listSteps = (connection: CrmConnection): readonly CrmStep[] => [
  {
    name: 'contact',
    lock: ({ record }) => `contact ${record.email.toLowerCase()}`,
    values: ({ record }) => mapFields(record, contactFields),
    find: (task, refusal) => findContact(connection, task, refusal?.existingId),
    update: (contactId, values) =>
      connection.send({ path: `${OBJECTS}contacts/${contactId}`, method: 'PATCH', body: { properties: values } }),
    create: async (_task, values) => {
      const body = { properties: values, associations: [] };

      return (await connection.call({ path: `${OBJECTS}contacts`, body }, createdSchema)).id;
    },
  },
  {
    name: 'note',
    alwaysCreates: true,
    // HubSpot accepts 65,536 characters. Visitors can type at most 6,200, and escaping turns each into at most six.
    values: ({ record }) => ({ hs_timestamp: record.received_at, hs_note_body: renderLeadHtml(record) }),
    find: (task) => findNote(connection, task),
    create: async ({ ids: { contact } }, values) => {
      const associations = [{ to: { id: contact }, types: [NOTE_TO_CONTACT] }];

      return (await connection.call({ path: `${OBJECTS}notes`, body: { properties: values, associations } }, createdSchema)).id;
    },
  },
];

const SCOPES = ['crm.objects.contacts.read', 'crm.objects.contacts.write'];
const scopesSchema = v.object({ scopes: v.array(v.string()) });
const propertiesSchema = v.object({ results: v.array(v.object({ name: v.string() })) });

/** Checks the token's scopes. HubSpot doesn't list them for every kind of token. */
async function testScopes(call: CrmConnection['call'], tokenKey: string): Promise<CrmCheckOutcome> {
  try {
    const path = '/oauth/v2/private-apps/get/access-token-info';
    const { scopes } = await call({ path, body: { tokenKey } }, scopesSchema);
    const missing = SCOPES.filter((scope) => !scopes.includes(scope)).join(' and ');

    return missing === ''
      ? pass(`The token has ${SCOPES.join(' and ')}.`)
      : refuse(`The token lacks ${missing}; add it to the key’s scopes.`);
  } catch (error) {
    if (!hasStatus(error, 400, 404)) throw error;

    return pass('The token can read contacts. HubSpot doesn’t say whether it can write them.');
  }
}

function listChecks({ call }: CrmConnection, token: string): readonly CrmCheck[] {
  let missing: readonly string[] = [];
  const testCredentials = async () => {
    const { results } = await call({ path: `/crm/properties/${VERSION}/contacts` }, propertiesSchema);
    missing = properties.filter((name) => !results.some((existing) => existing.name === name));

    return pass('HubSpot accepts HUBSPOT_TOKEN.');
  };
  const checkFields = () =>
    missing.length === 0
      ? pass('Contacts have every mapped property.')
      : fail(`Contacts have no property ${missing.join(', ')}; create it in HubSpot.`);

  return [
    { name: 'credentials', run: testCredentials },
    { name: 'scopes', run: () => testScopes(call, token) },
    { name: 'fields', run: checkFields },
  ];
}

/** Creates the contact or fills its empty fields, and adds a note with everything the visitor typed. */
export const createHubspotProvider = ({ baseUrl, token }: CrmSettingsOf<'hubspot'>, client: OutboundClient) =>
  createVendorProvider({
    connect: createConnector(client, {
      origin: 'hubspot',
      baseUrl,
      headers: { authorization: `Bearer ${token}` },
      readRefusal,
    }),
    steps: listSteps,
    lead: 'contact',
    checks: (connection) => listChecks(connection, token),
    explainFailure: explainByStatus({
      crm: 'HubSpot',
      url: 'HUBSPOT_BASE_URL',
      key: 'HUBSPOT_TOKEN',
      rights: `give the key ${SCOPES.join(' and ')}`,
      meanings: {
        [MOVING]: { check: 'limits', detail: 'HubSpot is moving the account to another data center; try again later' },
      },
    }),
  });
