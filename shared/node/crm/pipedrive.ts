import * as v from 'valibot';
import { Minute, Second } from '../../time.ts';
import type { CrmSettingsOf } from '../config/settings.ts';
import { pass } from '../monitoring/check.ts';
import { MAX_RETRY_AFTER } from '../outbound/classify-response.ts';
import type { OutboundClient, OutboundResponse } from '../outbound/outbound-client.ts';
import { connectCrm, type CrmConnection, type Refusal, parseResponse } from './crm-api.ts';
import { explainByStatus, type CrmCheck } from './crm-checks.ts';
import { createVendorProvider, type CrmStep, type Known, type Task, type Values } from './export-lead.ts';
import { mapFields, noteRows, renderLeadHtml, type MappedField } from './lead-fields.ts';

/** Fields that every account has; custom ones would have names of their own in each. */
const organizationFields: readonly MappedField[] = [{ to: 'name', from: ({ company }) => company, max: 255 }];

/** `emails` and `phones` are lists in Pipedrive. */
const personFields: readonly MappedField[] = [
  { to: 'name', from: ({ name }) => name, max: 255 },
  { to: 'emails', from: ({ email }) => email.toLowerCase() },
  { to: 'phones', from: ({ phone }) => phone },
];

const leadFields: readonly MappedField[] = [
  { to: 'title', from: ({ company }) => `${company}: assessment request`, max: 255 },
  // A repeated export finds its lead by it.
  { to: 'origin_id', from: ({ submission_id: id }) => id },
];

function makePerson({ record, ids: { organization } }: Task): Values {
  const { emails, phones, ...plain } = mapFields(record, personFields);
  const makeList = (value: string) => [{ value, primary: true, label: 'work' }];

  return {
    ...plain,
    ...(emails !== undefined && { emails: makeList(emails) }),
    ...(phones !== undefined && { phones: makeList(phones) }),
    org_id: Number(organization),
  };
}

/** Only what looks like a code: a sentence may repeat the lead. */
const refusalSchema = v.object({ code: v.pipe(v.string(), v.regex(/^\w{1,64}$/)) });
/** How long all exports wait when Pipedrive blocks a token for too many calls, unless it says. */
const BLOCKED_WAIT = 10 * Minute;
/** Reasons of responses that mean 'too many requests'. */
const LIMITED = 'pipedrive-429';
const BLOCKED = 'pipedrive-403-limit';

/** Milliseconds until the limit of calls is lifted; `x-ratelimit-reset` states seconds. */
function readRateLimitReset(response: OutboundResponse): number | undefined {
  const text = response.header('x-ratelimit-reset') ?? '';

  return /^\d+$/.test(text) ? Math.min(Number(text) * Second, MAX_RETRY_AFTER) : undefined;
}

/** @param wasLimited whether the last attempt of this export ended with 'too many requests' */
function readRefusal(response: OutboundResponse, wasLimited: boolean): Refusal {
  const { status } = response;
  const code = parseResponse(response, refusalSchema)?.code;
  if (status === 429) return { code, waitsMs: readRateLimitReset(response) };
  // The plan's cap on records: not about the token, and waiting doesn't lift it.
  if (status === 403 && code?.startsWith('feature_capping')) return { code, result: 'dead' };
  // Further calls after a 429 get a 403 that has no code.
  if (status === 403 && code === undefined && wasLimited) {
    return { code: 'limit', result: 'retry', waitsMs: readRateLimitReset(response) ?? BLOCKED_WAIT };
  }

  return { code };
}

/** Numbers, but UUIDs for leads; handled as text. */
const id = v.pipe(v.union([v.number(), v.pipe(v.string(), v.minLength(1))]), v.transform(String));
const answer = <const Schema extends v.GenericSchema>(data: Schema) => v.object({ success: v.literal(true), data });
const createdSchema = answer(v.object({ id }));
const searchSchema = answer(v.object({ items: v.array(v.object({ item: v.object({ id }) })) }));
// Lists of version 1 are null when empty.
const leadsSchema = answer(v.nullable(v.array(v.object({ id, origin_id: v.nullish(v.string()) }))));
const notesSchema = answer(v.nullable(v.array(v.object({ id, content: v.nullish(v.string()) }))));
/** The parts of a person that an export may fill; absent ones count as filled. */
const personSchema = answer(
  v.object({
    phones: v.optional(v.array(v.object({ value: v.nullish(v.string()) }))),
    org_id: v.optional(v.nullable(v.number())),
  }),
);

const makeQuery = (query: Readonly<Record<string, string>>) => new URLSearchParams(query).toString();

async function search({ call }: CrmConnection, kind: 'organizations' | 'persons', fields: string, term: string) {
  const query = makeQuery({ term, fields, exact_match: 'true', limit: '1' });

  return (await call({ path: `/api/v2/${kind}/search?${query}` }, searchSchema)).data.items[0]?.item;
}

async function findPerson(connection: CrmConnection, { record }: Task): Promise<Known | undefined> {
  const found = await search(connection, 'persons', 'email', record.email.toLowerCase());
  if (!found) return undefined;
  const { data } = await connection.call({ path: `/api/v2/persons/${found.id}` }, personSchema);
  const hasNoPhone = data.phones?.every(({ value }) => !value) === true;

  return { id: found.id, empty: [...(hasNoPhone ? ['phones'] : []), ...(data.org_id === null ? ['org_id'] : [])] };
}

/** An earlier attempt's record is among the newest. */
const newest = (filter: Readonly<Record<string, string>>, limit: number) =>
  makeQuery({ ...filter, sort: 'add_time DESC', limit: String(limit) });

/** Not by search, which lacks `origin_id` and lags behind. Archived leads have a list of their own. */
async function findLead({ call }: CrmConnection, { record, ids: { person = '' } }: Task) {
  for (const list of ['leads', 'leads/archived']) {
    const { data } = await call({ path: `/v1/${list}?${newest({ person_id: person }, 10)}` }, leadsSchema);
    const own = data?.find(({ origin_id: origin }) => origin === record.submission_id);
    if (own) return { id: own.id, isOwn: true };
  }

  return undefined;
}

async function findNote({ call }: CrmConnection, { record, ids: { lead = '' } }: Task) {
  const { data } = await call({ path: `/v1/notes?${newest({ lead_id: lead }, 5)}` }, notesSchema);
  const own = data?.find(({ content }) => content?.includes(record.submission_id));

  return own && { id: own.id, isOwn: true };
}

function listSteps(connection: CrmConnection): readonly CrmStep[] {
  const createAt = (path: string) => async (_task: Task, body: Values) =>
    (await connection.call({ path, body }, createdSchema)).data.id;

  return [
    {
      name: 'organization',
      lock: ({ record }) => `organization ${record.company.toLowerCase()}`,
      values: ({ record }) => mapFields(record, organizationFields),
      find: ({ record }) => search(connection, 'organizations', 'name', record.company),
      create: createAt('/api/v2/organizations'),
    },
    {
      name: 'person',
      lock: ({ record }) => `person ${record.email.toLowerCase()}`,
      values: makePerson,
      find: (task) => findPerson(connection, task),
      update: (personId, body) => connection.send({ path: `/api/v2/persons/${personId}`, method: 'PATCH', body }),
      create: createAt('/api/v2/persons'),
    },
    {
      name: 'lead',
      isOwn: true,
      values: ({ record, ids: { person, organization } }) => ({
        ...mapFields(record, leadFields),
        person_id: Number(person),
        organization_id: Number(organization),
      }),
      find: (task) => findLead(connection, task),
      create: createAt('/v1/leads'),
    },
    {
      name: 'note',
      isOwn: true,
      values: ({ record, ids: { lead } }) => ({ content: renderLeadHtml(record, noteRows), lead_id: lead }),
      find: (task) => findNote(connection, task),
      create: createAt('/v1/notes'),
    },
  ];
}

function listChecks({ call }: CrmConnection): readonly CrmCheck[] {
  const tryToRead = (kinds: readonly string[], detail: string) => async () => {
    for (const kind of kinds) await call({ path: `/api/v2/${kind}/search?term=crm-test&limit=1` }, searchSchema);

    return pass(detail);
  };
  const rights = 'Organizations and leads may be read; the right to add shows with the first lead.';

  return [
    { name: 'credentials', run: tryToRead(['persons'], 'The token is valid; persons may be read.') },
    { name: 'rights', run: tryToRead(['organizations', 'leads'], rights) },
  ];
}

/** Creates a lead with a note, and its person and organization; fills only what is empty in an existing person. */
export const createPipedriveProvider = ({ baseUrl, token }: CrmSettingsOf<'pipedrive'>, client: OutboundClient) =>
  createVendorProvider({
    connect: ({ signal, lastFailure = null }) => {
      const wasLimited = lastFailure?.startsWith(LIMITED) === true || lastFailure === BLOCKED;
      const headers = { 'x-api-token': token };
      const read = (response: OutboundResponse) => readRefusal(response, wasLimited);

      return connectCrm(client, { origin: 'pipedrive', baseUrl, headers, readRefusal: read }, signal);
    },
    steps: listSteps,
    lead: 'lead',
    checks: listChecks,
    explainFailure: explainByStatus({
      crm: 'Pipedrive',
      url: 'PIPEDRIVE_BASE_URL',
      key: 'PIPEDRIVE_TOKEN',
      rights: 'let the token’s user see such records',
    }),
  });
