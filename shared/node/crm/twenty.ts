import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { Minute, Second } from '../../time.ts';
import type { CrmSettingsOf } from '../config/settings.ts';
import { pass } from '../monitoring/check.ts';
import { MAX_RETRY_AFTER } from '../outbound/classify-response.ts';
import type { OutboundClient, OutboundResponse } from '../outbound/outbound-client.ts';
import { createConnector, type CrmConnection, type Refusal, errorCode, parseResponse } from './crm-api.ts';
import { explainByStatus, reportExpiry, type CrmCheck, type CrmCheckOutcome } from './crm-checks.ts';
import { createVendorProvider, type CrmStep, type StepRecord, type Task, type Values } from './export-lead.ts';
import { renderLeadMarkdown, splitName, toAsciiAddress, toInternationalNumber } from './lead-fields.ts';

function makePerson({ record: { name, email, phone }, ids: { company } }: Task): Values {
  const { first, last } = splitName(name);
  const number = toInternationalNumber(phone);

  return {
    name: { firstName: first, lastName: last },
    emails: { primaryEmail: toAsciiAddress(email) },
    ...(number !== null && { phones: { primaryPhoneNumber: number } }),
    companyId: company,
  };
}

/** An error body. Its messages may contain the lead's data, so only these facts are read from them. */
const problemSchema = v.object({
  error: errorCode,
  code: errorCode,
  messages: v.pipe(
    v.fallback(v.array(v.string()), []),
    v.transform((messages) => ({
      // The wording differs between versions.
      isDuplicate: messages.some((text) => /duplicate|already exists/i.test(text)),
      isForbidden: messages.some((text) => /does not have permission/i.test(text)),
      // An invalid value, or the id of a record that was deleted after it was found.
      isRefused: messages.some((text) => /invalid|violates/i.test(text)),
      isAboutEmail: messages.some((text) => /invalid.*\bemail/i.test(text)),
      unknownField: /any "([A-Za-z]{1,64})" field/.exec(messages.join(' '))?.[1],
    })),
  ),
  /** Newer versions send this with status 429. */
  retryAfterSeconds: v.fallback(
    v.optional(v.pipe(v.number(), v.minValue(0), v.toMaxValue(MAX_RETRY_AFTER / Second))),
    undefined,
  ),
});

/** A value breaks one of the workspace's validation rules. An administrator wrote the message, so it is ignored. */
const BROKEN_RULE = 'VALIDATION_RULE_VIOLATION';
/** The workspace's rate limit applies per minute. */
const LIMIT_WINDOW = 1 * Minute;

function readRefusal(response: OutboundResponse): Refusal {
  const problem = parseResponse(response, problemSchema);
  const { status } = response;
  if (status === 429) {
    const seconds = problem?.retryAfterSeconds;

    return { code: problem?.error, waitsMs: seconds === undefined ? LIMIT_WINDOW : seconds * Second };
  }
  if (status !== 400) return { code: problem?.error };
  if (problem?.code === BROKEN_RULE) return { code: BROKEN_RULE, refusedFields: ['phones'] };
  const { isDuplicate, isForbidden, isRefused, isAboutEmail, unknownField } = problem?.messages ?? {};
  // In most versions this means that the key's role forbids the call.
  if (isForbidden) return { status: 403, code: problem?.error };
  if (isDuplicate) return { code: 'duplicate', isDuplicate, refusedFields: ['emails'] };

  return {
    // Server failures, such as a query timeout, also have status 400.
    result: isRefused || unknownField !== undefined ? 'dead' : 'retry',
    code: problem?.error,
    refusedFields: isAboutEmail ? ['emails'] : [unknownField ?? 'phones'],
  };
}

/** Derives a record's id from the submission's id, so a retry can find the record. Twenty accepts only UUIDv4. */
function deriveId({ record }: Task, what: string): string {
  const hash = createHash('sha256').update(`${record.submission_id} ${what}`).digest('hex');
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `4${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`, hash.slice(20, 32)];

  return parts.join('-');
}

const id = v.pipe(v.string(), v.uuid());
const text = v.nullish(v.string(), '');
const listSchema = <const Schema extends v.GenericSchema>(record: Schema) =>
  v.object({ data: v.record(v.string(), v.array(record)) });
/** The key is the operation's name, such as `createPerson`. */
const createdSchema = v.object({ data: v.record(v.string(), v.object({ id })) });
const companiesSchema = listSchema(v.object({ id, name: text }));
/** The person fields that an export can fill. Missing fields count as filled. */
const peopleSchema = listSchema(
  v.object({
    id,
    companyId: v.optional(v.nullable(v.string())),
    phones: v.optional(
      v.object({ primaryPhoneNumber: text, additionalPhones: v.nullish(v.array(v.unknown()), []) }),
    ),
  }),
);

/** Lists matching records, without their related records. */
async function list<const Schema extends v.GenericSchema>(
  { call }: CrmConnection,
  objects: string,
  { filter, limit }: { readonly filter: string; readonly limit: number },
  schema: Schema,
) {
  const query = new URLSearchParams({ filter, limit: String(limit), depth: '0' }).toString();

  return call({ path: `${objects}?${query}` }, schema);
}

/** Builds a case-insensitive filter. Special characters become the wildcard `_`, so other values may match too. */
const likeText = (field: string, value: string) => `${field}[ilike]:"${value.replace(/["'()[\],\\%]/g, '_')}"`;
/** Twenty's maximum page size. */
const MAX_COMPANIES = 60;

async function findCompany(connection: CrmConnection, { record: { company } }: Task): Promise<StepRecord | undefined> {
  const query = { filter: likeText('name', company), limit: MAX_COMPANIES };
  const { data } = await list(connection, 'companies', query, companiesSchema);

  return data['companies']?.find(({ name }) => name.toLowerCase() === company.toLowerCase());
}

/** Finds the record that an earlier attempt created with a derived id. */
const findDerived =
  (connection: CrmConnection, objects: string, what: string) =>
  async (task: Task): Promise<StepRecord | undefined> => {
    const own = deriveId(task, what);
    const { data } = await list(connection, objects, { filter: `id[eq]:"${own}"`, limit: 1 }, listSchema(v.object({ id })));

    return data[objects]?.some((record) => record.id === own) ? { id: own, isCreatedByExport: true } : undefined;
  };

async function findPerson(connection: CrmConnection, { record }: Task): Promise<StepRecord | undefined> {
  // A valid address can't contain a quote, which would end the value.
  const filter = `emails.primaryEmail[eq]:"${toAsciiAddress(record.email)}"`;
  const { data } = await list(connection, 'people', { filter, limit: 1 }, peopleSchema);
  const [person] = data['people'] ?? [];
  const { phones, companyId } = person ?? {};
  const hasNoPhone = phones?.primaryPhoneNumber === '' && phones.additionalPhones.length === 0;

  return person && { id: person.id, empty: [...(hasNoPhone ? ['phones'] : []), ...(companyId === null ? ['companyId'] : [])] };
}

function listSteps(connection: CrmConnection): readonly CrmStep[] {
  const create = async (objects: string, body: Values) => {
    const { data } = await connection.call({ path: `${objects}?depth=0`, body }, createdSchema);

    return Object.values(data)[0]?.id ?? null;
  };
  const findDerivedPerson = findDerived(connection, 'people', 'person');

  return [
    {
      name: 'company',
      // Twenty accepts two companies with the same name.
      lock: ({ record }) => `company ${record.company.toLowerCase()}`,
      values: ({ record }) => ({ name: record.company }),
      find: (task) => findCompany(connection, task),
      create: (_task, values) => create('companies', values),
    },
    {
      name: 'person',
      lock: ({ record }) => `person ${toAsciiAddress(record.email)}`,
      values: makePerson,
      find: async (task, refusal) => (await findPerson(connection, task)) ?? (refusal && findDerivedPerson(task)),
      update: (personId, body) => connection.send({ path: `people/${personId}?depth=0`, method: 'PATCH', body }),
      // Twenty may refuse the address, or a deleted person may have it. The derived id lets a retry find the person.
      create: (task, values) =>
        create('people', 'emails' in values ? values : { ...values, id: deriveId(task, 'person') }),
    },
    {
      name: 'note',
      alwaysCreates: true,
      values: (task) => ({
        id: deriveId(task, 'note'),
        title: `${task.record.company}: assessment request`,
        bodyV2: { markdown: renderLeadMarkdown(task.record) },
      }),
      find: findDerived(connection, 'notes', 'note'),
      create: (_task, values) => create('notes', values),
    },
    {
      name: 'note target',
      alwaysCreates: true,
      values: (task) => ({ id: deriveId(task, 'note target'), noteId: task.ids['note'], targetPersonId: task.ids['person'] }),
      find: findDerived(connection, 'noteTargets', 'note target'),
      // Older versions call this field `personId`.
      create: ({ ids: { person } }, values) =>
        create('noteTargets', 'targetPersonId' in values ? values : { ...values, personId: person }),
    },
  ];
}

/** A key is a JSON Web Token (RFC 7519); `exp` is in seconds. */
const claimsSchema = v.pipe(v.string(), v.parseJson(), v.object({ exp: v.number() }));

function checkKeyEnd(apiKey: string): CrmCheckOutcome {
  const claims = Buffer.from(apiKey.split('.')[1] ?? '', 'base64url').toString();
  const result = v.safeParse(claimsSchema, claims);
  const end = new Date(result.success ? result.output.exp * Second : Number.NaN);
  if (Number.isNaN(end.getTime())) return pass('The key doesn’t say when it expires.');
  const day = end.toISOString().slice(0, 10);

  return reportExpiry(day, `The key expires on ${day}; set a new one before then.`);
}

function listChecks({ call }: CrmConnection, apiKey: string): readonly CrmCheck[] {
  const tryToRead = (names: readonly string[], detail: string) => async () => {
    for (const name of names) {
      await call({ path: `${name}?limit=1&depth=0` }, v.object({ data: v.object({ [name]: v.array(v.unknown()) }) }));
    }

    return pass(detail);
  };
  const rights = 'The key can read companies and notes. Only the first export shows whether it can add them.';

  return [
    // Twenty's API description can be read without a key, so reading it proves nothing.
    { name: 'credentials', run: tryToRead(['people'], 'The key is valid and can read people.') },
    { name: 'rights', run: tryToRead(['companies', 'notes', 'noteTargets'], rights) },
    { name: 'key', run: () => checkKeyEnd(apiKey) },
  ];
}

/** Creates a person, a company and a note. If the person exists, fills only empty fields. */
export const createTwentyProvider = ({ url, apiKey }: CrmSettingsOf<'twenty'>, client: OutboundClient) =>
  createVendorProvider({
    connect: createConnector(client, {
      origin: 'twenty',
      baseUrl: `${url}/rest/`,
      headers: { authorization: `Bearer ${apiKey}` },
      readRefusal,
    }),
    steps: listSteps,
    lead: 'person',
    checks: (connection) => listChecks(connection, apiKey),
    explainFailure: explainByStatus({
      crm: 'Twenty',
      url: 'TWENTY_URL',
      key: 'TWENTY_API_KEY',
      rights: 'give the key a role that may see and edit people, companies and notes',
    }),
  });
