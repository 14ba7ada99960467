import * as v from 'valibot';
import { Hour, Second } from '../../time.ts';
import type { CrmSettingsOf } from '../config/settings.ts';
import { fail, pass } from '../monitoring/check.ts';
import type { OutboundClient, OutboundResponse } from '../outbound/outbound-client.ts';
import {
  connectCrm,
  CrmError,
  hasStatus,
  type CrmConnection,
  type Refusal,
  errorCode,
  parseResponse,
  readResponse,
} from './crm-api.ts';
import { explainByStatus, refuse, type CrmCheck, type CrmCheckOutcome } from './crm-checks.ts';
import { createVendorProvider, type CrmStep, type Task } from './export-lead.ts';
import { mapFields, noteRows, renderLeadHtml, splitName, type MappedField } from './lead-fields.ts';

/** HubSpot's API version (HubSpot/HubSpot-public-api-spec-collection on GitHub). 2026-09 can't list notes by GET. */
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

/** HubSpot's description of an error; it promises none of its parts. */
const problemSchema = v.object({
  category: errorCode,
  /** Which limit was met, in responses of status 429. */
  policyName: errorCode,
  errors: v.fallback(v.optional(v.array(v.object({ code: errorCode }))), undefined),
  /** Of the sentence, which may repeat the lead, nothing but the id in 'Existing ID: 123'. */
  message: v.fallback(
    v.optional(v.pipe(v.string(), v.transform((text) => /Existing ID: (\d+)/.exec(text)?.[1]))),
    undefined,
  ),
});

/** Moving to another data center, up to a day (https://developers.hubspot.com/docs/api-reference/error-handling). */
const MOVING = 477;

/** How long to wait when HubSpot doesn't say: the windows of its limits are ten seconds and a day. */
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
    // The address may be a further one of the contact.
    isDuplicate: existingId !== undefined,
    existingId,
    refusedFields: code === 'INVALID_EMAIL' ? ['email'] : [],
  };
}

/** The status HubSpot gives the same error when it isn't one of several in a batch. */
const statuses: Readonly<Record<string, number>> = {
  VALIDATION_ERROR: 400,
  INVALID_AUTHENTICATION: 401,
  MISSING_SCOPES: 403,
  CONFLICT: 409,
  RATE_LIMITS: 429,
};

const id = v.pipe(v.string(), v.digits());
const createdSchema = v.object({ id });
const contactsSchema = v.object({
  results: v.optional(v.array(v.object({ id, properties: v.record(v.string(), v.nullish(v.string())) })), []),
  errors: v.optional(v.array(problemSchema), []),
});

/** Reads a contact by address or id. By POST, since URLs are logged; not by search, which lags behind. */
async function findContact({ send }: CrmConnection, { record }: Task, existingId: string | undefined) {
  const key = existingId === undefined ? { idProperty: 'email' } : {};
  const inputs = [{ id: existingId ?? record.email.toLowerCase() }];
  const body = { ...key, inputs, properties, propertiesWithHistory: [] };
  const response = await send({ path: `${OBJECTS}contacts/batch/read`, body });
  const { results, errors } = readResponse('hubspot', response, contactsSchema);
  // 207: the batch was accepted and its one input wasn't, as when there is no such contact.
  const problem = errors.find(({ category }) => category !== 'OBJECT_NOT_FOUND');
  const [contact] = results;
  if (!contact && problem) {
    const refused = { ...response, status: statuses[problem.category ?? ''] ?? 500 };
    throw new CrmError('hubspot', refused, readRefusal(refused, problem));
  }

  return contact && { id: contact.id, empty: properties.filter((name) => !contact.properties[name]?.trim()) };
}

/** Association of a note with a contact. Source: HubSpot's table of association types. */
const NOTE_TO_CONTACT = { associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 202 };
const NOTES_A_READ = 50;
/** An earlier attempt's note is among the newest, and a contact's whole history would take longer than an attempt may. */
const MOST_NOTES = 500;

const associationsSchema = v.object({
  results: v.array(v.object({ toObjectId: v.pipe(v.union([v.number(), v.string()]), v.transform(String), id) })),
  paging: v.optional(v.object({ next: v.optional(v.object({ after: v.string() })) })),
});
const notesSchema = v.object({
  results: v.array(v.object({ id, properties: v.object({ hs_note_body: v.nullish(v.string(), '') }) })),
});

/** Ids of the contact's newest notes, the newest first: ids grow. */
async function listNewestNoteIds({ call }: CrmConnection, contactId: string): Promise<string[]> {
  const ids: string[] = [];
  let after: string | undefined = '';
  while (after !== undefined) {
    const page: string = after && `&after=${encodeURIComponent(after)}`;
    const list: v.InferOutput<typeof associationsSchema> = await call(
      { path: `${OBJECTS}contacts/${contactId}/associations/notes?limit=500${page}` },
      associationsSchema,
    );
    ids.push(...list.results.map(({ toObjectId }) => toObjectId));
    after = list.paging?.next?.after;
  }

  return ids.sort((one, other) => Number(other) - Number(one)).slice(0, MOST_NOTES);
}

/** Finds the note of an earlier attempt. Not by search, which knows a new note only some time later. */
async function findNote(connection: CrmConnection, { record, ids: { contact = '' } }: Task) {
  const ids = await listNewestNoteIds(connection, contact);
  for (let start = 0; start < ids.length; start += NOTES_A_READ) {
    const inputs = ids.slice(start, start + NOTES_A_READ).map((noteId) => ({ id: noteId }));
    const body = { inputs, properties: ['hs_note_body'], propertiesWithHistory: [] };
    const { results } = await connection.call({ path: `${OBJECTS}notes/batch/read`, body }, notesSchema);
    const own = results.find(({ properties: note }) => note.hs_note_body?.includes(record.submission_id));
    if (own) return { id: own.id, isOwn: true };
  }

  return undefined;
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
    isOwn: true,
    // Shorter than HubSpot's 65,536 characters: at most 6,200 typed ones, none longer than six.
    values: ({ record }) => ({ hs_timestamp: record.received_at, hs_note_body: renderLeadHtml(record, noteRows) }),
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

/** Checks the token's scopes, which HubSpot doesn't list for every kind of token. */
async function testScopes({ call }: CrmConnection, tokenKey: string): Promise<CrmCheckOutcome> {
  try {
    const path = '/oauth/v2/private-apps/get/access-token-info';
    const { scopes } = await call({ path, body: { tokenKey } }, scopesSchema);
    const missing = SCOPES.filter((scope) => !scopes.includes(scope)).join(' and ');

    return missing === ''
      ? pass(`The token has ${SCOPES.join(' and ')}.`)
      : refuse(`The token lacks ${missing}; add it to the key’s scopes.`);
  } catch (error) {
    if (!hasStatus(error, 400, 404)) throw error;

    return pass('Contacts can be read; HubSpot doesn’t say whether they can be written.');
  }
}

function checkFields(existing: readonly string[]): CrmCheckOutcome {
  const missing = properties.filter((name) => !existing.includes(name));

  return missing.length === 0
    ? pass('All mapped properties of a contact exist.')
    : fail(`Contacts have no property ${missing.join(', ')}; create it in HubSpot.`);
}

function listChecks(connection: CrmConnection, token: string): readonly CrmCheck[] {
  let existing: readonly string[] = [];
  const testCredentials = async () => {
    const path = `/crm/properties/${VERSION}/contacts`;
    existing = (await connection.call({ path }, propertiesSchema)).results.map(({ name }) => name);

    return pass('HubSpot accepts HUBSPOT_TOKEN.');
  };

  return [
    { name: 'credentials', run: testCredentials },
    { name: 'scopes', run: () => testScopes(connection, token) },
    { name: 'fields', run: () => checkFields(existing) },
  ];
}

/** Creates the contact of the address, or fills what is empty, and adds a note with all that was typed. */
export const createHubspotProvider = ({ baseUrl, token }: CrmSettingsOf<'hubspot'>, client: OutboundClient) =>
  createVendorProvider({
    connect: ({ signal }) => {
      const headers = { authorization: `Bearer ${token}` };

      return connectCrm(client, { origin: 'hubspot', baseUrl, headers, readRefusal }, signal);
    },
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
