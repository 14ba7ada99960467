import * as v from 'valibot';
import type { CrmSettingsOf } from '../config/settings.ts';
import { fail, pass } from '../monitoring/check.ts';
import { breakMentions } from '../outbound/chat-message.ts';
import type { OutboundClient, OutboundResponse } from '../outbound/outbound-client.ts';
import { createConnector, hasStatus, type CrmConnection, type Refusal, parseResponse } from './crm-api.ts';
import { explainByStatus, refuse, type CrmCheck, type CrmCheckOutcome } from './crm-checks.ts';
import { createVendorProvider, findBySubmissionId, type CrmStep, type Task } from './export-lead.ts';
import {
  mapFields,
  renderLeadMarkdown,
  splitName,
  toAsciiAddress,
  toInternationalNumber,
  type MappedField,
} from './lead-fields.ts';

/** Removes the characters that EspoCRM refuses in names. */
const toPlainName = (name: string) => name.replace(/[<>=]/g, '');

const leadFields: readonly MappedField[] = [
  { to: 'firstName', from: ({ name }) => splitName(toPlainName(name)).first, max: 100 },
  // Some versions and administrators require a last name.
  { to: 'lastName', from: ({ name }) => splitName(toPlainName(name)).last || '[not provided]', max: 100 },
  { to: 'accountName', from: ({ company }) => toPlainName(company) },
  { to: 'emailAddress', from: ({ email }) => toAsciiAddress(email) },
  { to: 'phoneNumber', from: ({ phone }) => toInternationalNumber(phone) },
  { to: 'source', from: () => 'Web Site' },
  { to: 'description', from: renderLeadMarkdown },
];

/** Fields that can be omitted from a new lead. Administrators can add validation rules to any field. */
const dispensable = ['firstName', 'accountName', 'emailAddress', 'phoneNumber', 'source'];
/** Fields of an existing lead that the export fills if they are empty. */
const fillable = ['accountName', 'phoneNumber'] as const;
/** Statuses of closed leads. Any other status, including custom ones, counts as open. */
const closedStatuses = ['Converted', 'Recycled', 'Dead'];

const name = v.pipe(v.string(), v.regex(/^[A-Za-z]\w{0,63}$/));
/** The field and the rule that refused its value, such as `phoneNumber` and `valid`. */
const refusalSchema = v.object({
  messageTranslation: v.object({
    label: v.literal('validationFailure'),
    data: v.object({ field: name, type: v.fallback(v.optional(name), undefined) }),
  }),
});

function readRefusal(response: OutboundResponse): Refusal {
  const refusal = response.status === 400 ? parseResponse(response, refusalSchema) : undefined;
  if (!refusal) return {};
  const { field, type } = refusal.messageTranslation.data;

  return {
    code: type === undefined ? field : `${field}-${type}`,
    refusedFields: dispensable.filter((candidate) => candidate === field),
  };
}

const id = v.pipe(v.string(), v.minLength(1));
const createdSchema = v.object({ id });
const text = v.nullish(v.string(), '');
const leadSchema = v.object({ id, status: text, description: text, accountName: text, phoneNumber: text });
const leadsSchema = v.object({ list: v.array(leadSchema) });
const notesSchema = v.object({ list: v.array(v.object({ id, post: text })) });

/** How many records to read. An earlier attempt's record is among the newest. */
const MAX_LEADS = 10;
const MAX_NOTES = 20;

/** Finds the lead that this export created, or the newest open lead with this address. */
async function findLead({ call }: CrmConnection, task: Task) {
  const query = new URLSearchParams({
    select: Object.keys(leadSchema.entries).join(','),
    'where[0][type]': 'equals',
    'where[0][attribute]': 'emailAddress',
    'where[0][value]': toAsciiAddress(task.record.email),
    orderBy: 'createdAt',
    order: 'desc',
    maxSize: String(MAX_LEADS),
  });
  const { list } = await call({ path: `Lead?${query.toString()}` }, leadsSchema);
  const own = findBySubmissionId(list, task, ({ description }) => description);
  if (own) return own;
  const open = list.find(({ status }) => !closedStatuses.includes(status));

  return open && { id: open.id, empty: fillable.filter((field) => !open[field].trim()) };
}

async function fillLead({ send }: CrmConnection, leadId: string, body: object): Promise<void> {
  try {
    await send({ path: `Lead/${encodeURIComponent(leadId)}`, method: 'PUT', body });
  } catch (error) {
    // The role can't edit this lead, or a rule refuses a value. The note contains every value.
    if (!hasStatus(error, 400, 403, 409)) throw error;
  }
}

async function findNote({ call }: CrmConnection, task: Task) {
  const lead = encodeURIComponent(task.ids['lead'] ?? '');
  const { list } = await call({ path: `Lead/${lead}/stream?maxSize=${MAX_NOTES}` }, notesSchema);

  return findBySubmissionId(list, task, ({ post }) => post);
}

const listSteps = (connection: CrmConnection): readonly CrmStep[] => [
  {
    name: 'lead',
    lock: ({ record }) => `lead ${toAsciiAddress(record.email)}`,
    values: ({ record }) => mapFields(record, leadFields),
    find: (task) => findLead(connection, task),
    update: (leadId, values) => fillLead(connection, leadId, values),
    create: async (_task, body) => (await connection.call({ path: 'Lead', body }, createdSchema)).id,
  },
  {
    name: 'note',
    alwaysCreates: true,
    values: ({ record, ids, created }) =>
      created.has('lead')
        ? undefined
        : {
            type: 'Post',
            parentType: 'Lead',
            parentId: ids['lead'],
            // EspoCRM notifies mentioned users, and a visitor can type any name.
            post: breakMentions(renderLeadMarkdown(record)),
          },
    find: (task) => findNote(connection, task),
    create: async (_task, body) => (await connection.call({ path: 'Note', body }, createdSchema)).id,
  },
];

/** What a role allows: `yes`, `all`, `team`, `own` or `no`. */
const level = v.fallback(v.optional(v.string()), undefined);
const noRights = { create: 'no', read: 'no', stream: 'no' };
/** Scopes without rights are absent. */
const userSchema = v.object({
  acl: v.object({ table: v.object({ Lead: v.fallback(v.object({ create: level, read: level, stream: level }), noRights) }) }),
});

type User = v.InferOutput<typeof userSchema>;

function checkRights({ acl }: User): CrmCheckOutcome {
  const { create, read, stream } = acl.table.Lead;
  if (create === 'no' || read === 'no') return refuse('The API user’s role doesn’t let it create and read leads.');
  if (read !== 'all') {
    return fail(`The role lets the API user read only some leads (${read ?? 'unknown'}); set it to “all”, or a retry can create a second lead.`);
  }

  return stream === 'all'
    ? pass('The API user can create leads, read them and post to their streams.')
    : fail('The role doesn’t give access to the stream of all leads, where requests from known addresses are posted.');
}

const definitionsSchema = v.record(v.string(), v.object({ disabled: v.fallback(v.optional(v.boolean()), false) }));

/** Checks that leads have the fields the export fills. Versions before 8.2 don't list a lead's fields. */
async function testFields({ call }: CrmConnection): Promise<CrmCheckOutcome> {
  const unknown = pass('EspoCRM doesn’t say which fields a lead has.');

  try {
    const known = await call({ path: 'Metadata?key=entityDefs.Lead.fields' }, definitionsSchema);
    const missing = leadFields.map(({ to }) => to).filter((field) => !known[field] || known[field].disabled);
    if (!known['lastName']) return unknown;

    return missing.length === 0
      ? pass('Leads have every field that the export fills.')
      : fail(`The lead entity lacks ${missing.join(', ')}, which the export fills.`);
  } catch (error) {
    if (hasStatus(error, 400, 403, 404)) return unknown;

    throw error;
  }
}

function listChecks(connection: CrmConnection): readonly CrmCheck[] {
  let user: Promise<User> | undefined;
  const readUser = () => (user ??= connection.call({ path: 'App/user' }, userSchema));

  return [
    { name: 'credentials', run: async () => ((await readUser()), pass('The key is valid.')) },
    { name: 'rights', run: async () => checkRights(await readUser()) },
    { name: 'fields', run: () => testFields(connection) },
  ];
}

/** Creates a lead. If an open lead has the same address, fills that lead's empty fields and adds a note instead. */
export const createEspocrmProvider = ({ url, apiKey }: CrmSettingsOf<'espocrm'>, client: OutboundClient) =>
  createVendorProvider({
    connect: createConnector(client, {
      origin: 'espocrm',
      baseUrl: `${url}/api/v1/`,
      // EspoCRM's own check treats people with the same name as duplicates.
      headers: { 'x-api-key': apiKey, 'x-skip-duplicate-check': 'true' },
      readRefusal,
    }),
    steps: listSteps,
    lead: 'lead',
    checks: listChecks,
    explainFailure: explainByStatus({
      crm: 'EspoCRM',
      url: 'ESPOCRM_URL',
      key: 'ESPOCRM_API_KEY',
      rights: 'give the API user an active role',
    }),
  });
