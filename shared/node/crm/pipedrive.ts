import * as v from 'valibot';
import { Minute, Second } from '../../time.ts';
import type { CrmSettingsOf } from '../config/settings.ts';
import { pass } from '../monitoring/check.ts';
import { MAX_RETRY_AFTER } from '../outbound/classify-response.ts';
import type { OutboundClient, OutboundResponse } from '../outbound/outbound-client.ts';
import { createConnector, type CrmConnection, type Refusal, parseResponse } from './crm-api.ts';
import { explainByStatus, type CrmCheck } from './crm-checks.ts';
import { createVendorProvider, findBySubmissionId, type CrmStep, type StepRecord, type Task, type Values } from './export-lead.ts';
import { renderLeadHtml } from './lead-fields.ts';

/** Returns a list with one item, because Pipedrive's addresses and phone numbers are lists. */
const listValue = (value: string) => [{ value, primary: true, label: 'work' }];

const makePerson = ({ record, ids: { organization } }: Task): Values => ({
  name: record.name,
  emails: listValue(record.email.toLowerCase()),
  ...(record.phone !== null && { phones: listValue(record.phone) }),
  org_id: Number(organization),
});

/** Ignores a `code` that is a sentence, because it may contain the lead's data. */
const refusalSchema = v.object({ code: v.pipe(v.string(), v.regex(/^\w{1,64}$/)) });
/** How long Pipedrive blocks a token after too many calls, if it doesn't say. */
const BLOCKED_WAIT = 10 * Minute;

/** Returns the milliseconds until the rate limit resets. `x-ratelimit-reset` is in seconds. */
function readRateLimitReset(response: OutboundResponse): number | undefined {
  const text = response.header('x-ratelimit-reset') ?? '';

  return /^\d+$/.test(text) ? Math.min(Number(text) * Second, MAX_RETRY_AFTER) : undefined;
}

/** Returns a function that explains error responses. It remembers rate limits, because all exports share them. */
function createRefusalReader() {
  let limitedUntil = 0;

  return (response: OutboundResponse): Refusal => {
    const { status } = response;
    const code = parseResponse(response, refusalSchema)?.code;
    const waitsMs = readRateLimitReset(response);
    if (status === 429) {
      limitedUntil = performance.now() + (waitsMs ?? 0) + BLOCKED_WAIT;

      return { code, waitsMs };
    }
    // The plan's maximum number of records has been reached, so waiting doesn't help.
    if (status === 403 && code?.startsWith('feature_capping')) return { code, result: 'dead' };
    // After a 429, Pipedrive responds to further calls with a 403 that has no code.
    if (status === 403 && code === undefined && performance.now() < limitedUntil) {
      return { code: 'limit', result: 'retry', waitsMs: waitsMs ?? BLOCKED_WAIT };
    }

    return { code };
  };
}

/** A lead's id is a UUID. Other ids are numbers. */
const id = v.pipe(v.union([v.number(), v.pipe(v.string(), v.minLength(1))]), v.transform(String));
const answer = <const Schema extends v.GenericSchema>(data: Schema) => v.object({ success: v.literal(true), data });
const createdSchema = answer(v.object({ id }));
const searchSchema = answer(v.object({ items: v.array(v.object({ item: v.object({ id }) })) }));
// Version 1 of the API returns null for an empty list.
const leadsSchema = answer(v.nullable(v.array(v.object({ id, origin_id: v.nullish(v.string()) }))));
const notesSchema = answer(v.nullable(v.array(v.object({ id, content: v.nullish(v.string()) }))));
/** The person fields that an export can fill. Missing fields count as filled. */
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

async function findPerson(connection: CrmConnection, { record }: Task): Promise<StepRecord | undefined> {
  const found = await search(connection, 'persons', 'email', record.email.toLowerCase());
  if (!found) return undefined;
  const { data } = await connection.call({ path: `/api/v2/persons/${found.id}` }, personSchema);
  const hasNoPhone = data.phones?.every(({ value }) => !value) === true;

  return { id: found.id, empty: [...(hasNoPhone ? ['phones'] : []), ...(data.org_id === null ? ['org_id'] : [])] };
}

/** Returns a query for the newest records. If an earlier attempt created a record, it is among them. */
const newest = (filter: Readonly<Record<string, string>>, limit: number) =>
  makeQuery({ ...filter, sort: 'add_time DESC', limit: String(limit) });

/** Finds an earlier attempt's lead. Avoids the search API, which lacks `origin_id` and whose index lags. */
async function findLead({ call }: CrmConnection, task: Task) {
  const { data } = await call({ path: `/v1/leads?${newest({ person_id: task.ids['person'] ?? '' }, 10)}` }, leadsSchema);

  return findBySubmissionId(data ?? [], task, ({ origin_id: origin }) => origin);
}

async function findNote({ call }: CrmConnection, task: Task) {
  const { data } = await call({ path: `/v1/notes?${newest({ lead_id: task.ids['lead'] ?? '' }, 5)}` }, notesSchema);

  return findBySubmissionId(data ?? [], task, ({ content }) => content);
}

function listSteps(connection: CrmConnection): readonly CrmStep[] {
  const createAt = (path: string) => async (_task: Task, body: Values) =>
    (await connection.call({ path, body }, createdSchema)).data.id;

  return [
    {
      name: 'organization',
      lock: ({ record }) => `organization ${record.company.toLowerCase()}`,
      values: ({ record }) => ({ name: record.company }),
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
      alwaysCreates: true,
      values: ({ record, ids: { person, organization } }) => ({
        title: `${record.company}: assessment request`,
        // A retry uses this id to find its lead.
        origin_id: record.submission_id,
        person_id: Number(person),
        organization_id: Number(organization),
      }),
      find: (task) => findLead(connection, task),
      create: createAt('/v1/leads'),
    },
    {
      name: 'note',
      alwaysCreates: true,
      values: ({ record, ids: { lead } }) => ({ content: renderLeadHtml(record), lead_id: lead }),
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
  const rights = 'The token can read organizations and leads. Only the first export shows whether it can add them.';

  return [
    { name: 'credentials', run: tryToRead(['persons'], 'The token is valid and can read persons.') },
    { name: 'rights', run: tryToRead(['organizations', 'leads'], rights) },
  ];
}

/** Creates a lead with a note, a person and an organization. If the person exists, fills only empty fields. */
export const createPipedriveProvider = ({ baseUrl, token }: CrmSettingsOf<'pipedrive'>, client: OutboundClient) =>
  createVendorProvider({
    connect: createConnector(client, {
      origin: 'pipedrive',
      baseUrl,
      headers: { 'x-api-token': token },
      readRefusal: createRefusalReader(),
    }),
    steps: listSteps,
    lead: 'lead',
    checks: listChecks,
    explainFailure: explainByStatus({
      crm: 'Pipedrive',
      url: 'PIPEDRIVE_BASE_URL',
      key: 'PIPEDRIVE_TOKEN',
      rights: 'give the token’s user access to these records',
    }),
  });
