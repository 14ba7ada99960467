import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { Minute, Second } from '../../time.ts';
import type { CrmSettingsOf } from '../config/settings.ts';
import { pass } from '../monitoring/check.ts';
import { MAX_RETRY_AFTER } from '../outbound/classify-response.ts';
import type { OutboundClient, OutboundResponse } from '../outbound/outbound-client.ts';
import { connectCrm, type CrmConnection, type Refusal, errorCode, parseResponse } from './crm-api.ts';
import { explainByStatus, reportUntil, type CrmCheck, type CrmCheckOutcome } from './crm-checks.ts';
import { createVendorProvider, type CrmStep, type Known, type Task, type Values } from './export-lead.ts';
import { noteRows, renderLeadMarkdown, splitName, toAsciiAddress, toInternationalNumber } from './lead-fields.ts';

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

/** Of the sentences of an error, which may repeat the lead, only what is decided on. */
const problemSchema = v.object({
  error: errorCode,
  code: errorCode,
  messages: v.pipe(
    v.fallback(v.array(v.string()), []),
    v.transform((messages) => ({
      // Its words changed more than once.
      isDuplicate: messages.some((text) => /duplicate|already exists/i.test(text)),
      isForbidden: messages.some((text) => /does not have permission/i.test(text)),
      // A value, or the id of a record that is gone since it was found.
      isRefused: messages.some((text) => /invalid|violates/i.test(text)),
      isAboutEmail: messages.some((text) => /invalid.*\bemail/i.test(text)),
      unknownField: /any "([A-Za-z]{1,64})" field/.exec(messages.join(' '))?.[1],
    })),
  ),
  /** In responses of status 429 of newer versions. */
  retryAfterSeconds: v.fallback(
    v.optional(v.pipe(v.number(), v.minValue(0), v.toMaxValue(MAX_RETRY_AFTER / Second))),
    undefined,
  ),
});

/** The value breaks a validation rule of the workspace, whose administrator wrote the message: it decides nothing. */
const BROKEN_RULE = 'VALIDATION_RULE_VIOLATION';
/** The window of its limit of calls, which all users of a workspace share. */
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
  // Most versions respond so where the role of the key forbids the call.
  if (isForbidden) return { status: 403, code: problem?.error };
  if (isDuplicate) return { code: 'duplicate', isDuplicate, refusedFields: ['emails'] };

  return {
    // Its own failures, such as a query that took too long, have this status too.
    result: isRefused || unknownField !== undefined ? 'dead' : 'retry',
    code: problem?.error,
    refusedFields: isAboutEmail ? ['emails'] : [unknownField ?? 'phones'],
  };
}

/** An id of the export's own for one of its records, which a repeat finds again; Twenty takes version 4 alone. */
function deriveId({ record }: Task, what: string): string {
  const hash = createHash('sha256').update(`${record.submission_id} ${what}`).digest('hex');
  const variant = '89ab'[Number.parseInt(hash.charAt(16), 16) % 4] ?? '8';
  const [first, second] = [hash.slice(0, 8), hash.slice(8, 12)];

  return [first, second, `4${hash.slice(13, 16)}`, `${variant}${hash.slice(17, 20)}`, hash.slice(20, 32)].join('-');
}

const id = v.pipe(v.string(), v.uuid());
const text = v.nullish(v.string(), '');
const listSchema = <const Schema extends v.GenericSchema>(record: Schema) =>
  v.object({ data: v.record(v.string(), v.array(record)) });
/** Named `createPerson` and the like. */
const createdSchema = v.object({ data: v.record(v.string(), v.object({ id })) });
const companiesSchema = listSchema(v.object({ id, name: text }));
/** The parts of a person that an export may fill; absent ones count as filled. */
const peopleSchema = listSchema(
  v.object({
    id,
    companyId: v.optional(v.nullable(v.string())),
    phones: v.optional(
      v.object({ primaryPhoneNumber: text, additionalPhones: v.nullish(v.array(v.unknown()), []) }),
    ),
  }),
);

/** Lists records that meet the condition, without the records related to them. */
async function list<const Schema extends v.GenericSchema>(
  { call }: CrmConnection,
  objects: string,
  { filter, limit }: { readonly filter: string; readonly limit: number },
  schema: Schema,
) {
  const query = new URLSearchParams({ filter, limit: String(limit), depth: '0' }).toString();

  return call({ path: `${objects}?${query}` }, schema);
}

/** A condition that other values meet too: characters that end a value or mean something in a pattern become `_`. */
const likeText = (field: string, value: string) => `${field}[ilike]:"${value.replace(/["'()[\],\\%]/g, '_')}"`;
/** The most that Twenty lists at once. */
const MOST_COMPANIES = 60;

async function findCompany(connection: CrmConnection, { record: { company } }: Task): Promise<Known | undefined> {
  const query = { filter: likeText('name', company), limit: MOST_COMPANIES };
  const { data } = await list(connection, 'companies', query, companiesSchema);

  return data['companies']?.find(({ name }) => name.toLowerCase() === company.toLowerCase());
}

/** A record that an earlier attempt created under an id of its own. */
const findOwn =
  (connection: CrmConnection, objects: string, what: string) =>
  async (task: Task): Promise<Known | undefined> => {
    const own = deriveId(task, what);
    const { data } = await list(connection, objects, { filter: `id[eq]:"${own}"`, limit: 1 }, listSchema(v.object({ id })));

    return data[objects]?.some((record) => record.id === own) ? { id: own, isOwn: true } : undefined;
  };

async function findPerson(connection: CrmConnection, { record }: Task): Promise<Known | undefined> {
  // An address that the form accepts has nothing that ends a value.
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
  const findOwnPerson = findOwn(connection, 'people', 'person');

  return [
    {
      name: 'company',
      // Names may be given twice: two leads of one company would both search, find nothing and create.
      lock: ({ record }) => `company ${record.company.toLowerCase()}`,
      values: ({ record }) => ({ name: record.company }),
      find: (task) => findCompany(connection, task),
      create: (_task, values) => create('companies', values),
    },
    {
      name: 'person',
      lock: ({ record }) => `person ${toAsciiAddress(record.email)}`,
      values: makePerson,
      find: async (task, refusal) => (await findPerson(connection, task)) ?? (refusal && findOwnPerson(task)),
      update: (personId, body) => connection.send({ path: `people/${personId}?depth=0`, method: 'PATCH', body }),
      // Without an address, which Twenty refused or a deleted person keeps, only an own id finds the person again.
      create: (task, values) =>
        create('people', 'emails' in values ? values : { ...values, id: deriveId(task, 'person') }),
    },
    {
      name: 'note',
      isOwn: true,
      values: (task) => ({
        id: deriveId(task, 'note'),
        title: `${task.record.company}: assessment request`,
        bodyV2: { markdown: renderLeadMarkdown(task.record, noteRows) },
      }),
      find: findOwn(connection, 'notes', 'note'),
      create: (_task, values) => create('notes', values),
    },
    {
      name: 'note target',
      isOwn: true,
      values: (task) => ({ id: deriveId(task, 'note target'), noteId: task.ids['note'], targetPersonId: task.ids['person'] }),
      find: findOwn(connection, 'noteTargets', 'note target'),
      // Older versions know no such field.
      create: ({ ids: { person } }, values) =>
        create('noteTargets', 'targetPersonId' in values ? values : { ...values, personId: person }),
    },
  ];
}

/** Keys are JSON Web Tokens (RFC 7519); `exp` is in seconds. */
const claimsSchema = v.pipe(v.string(), v.parseJson(), v.object({ exp: v.number() }));

function checkKeyEnd(apiKey: string): CrmCheckOutcome {
  const claims = Buffer.from(apiKey.split('.')[1] ?? '', 'base64url').toString();
  const result = v.safeParse(claimsSchema, claims);
  const end = new Date(result.success ? result.output.exp * Second : Number.NaN);
  if (Number.isNaN(end.getTime())) return pass('The key doesn’t say when it expires.');
  const day = end.toISOString().slice(0, 10);

  return reportUntil(day, `The key expires on ${day}; set a new one before.`);
}

function listChecks({ call }: CrmConnection, apiKey: string): readonly CrmCheck[] {
  const tryToRead = (names: readonly string[], detail: string) => async () => {
    for (const name of names) {
      await call({ path: `${name}?limit=1&depth=0` }, v.object({ data: v.object({ [name]: v.array(v.unknown()) }) }));
    }

    return pass(detail);
  };
  const rights = 'Companies and notes may be read; the right to add shows with the first lead.';

  return [
    // Not by its description of the API, which it shows to anybody.
    { name: 'credentials', run: tryToRead(['people'], 'The key is valid; people may be read.') },
    { name: 'rights', run: tryToRead(['companies', 'notes', 'noteTargets'], rights) },
    { name: 'key', run: () => checkKeyEnd(apiKey) },
  ];
}

/** Creates person and company where they don't exist, and a note; fills only what is empty in an existing person. */
export const createTwentyProvider = ({ url, apiKey }: CrmSettingsOf<'twenty'>, client: OutboundClient) =>
  createVendorProvider({
    connect: ({ signal }) => {
      const headers = { authorization: `Bearer ${apiKey}` };

      return connectCrm(client, { origin: 'twenty', baseUrl: `${url}/rest/`, headers, readRefusal }, signal);
    },
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
