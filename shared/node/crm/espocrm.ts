import * as v from 'valibot';
import type { CrmSettingsOf } from '../config/settings.ts';
import { fail, pass } from '../monitoring/check.ts';
import { breakMentions } from '../outbound/chat-message.ts';
import type { OutboundClient, OutboundResponse } from '../outbound/outbound-client.ts';
import { connectCrm, hasStatus, type CrmConnection, type Refusal, parseResponse } from './crm-api.ts';
import { explainByStatus, refuse, type CrmCheck, type CrmCheckOutcome } from './crm-checks.ts';
import { createVendorProvider, type CrmStep, type Task } from './export-lead.ts';
import {
  mapFields,
  NOT_GIVEN,
  noteRows,
  renderLeadMarkdown,
  splitName,
  toAsciiAddress,
  toInternationalNumber,
  type MappedField,
} from './lead-fields.ts';

/** Without the characters that EspoCRM refuses in names; the description has what was typed. */
const toPlainName = (name: string) => name.replace(/[<>=]/g, '');

const leadFields: readonly MappedField[] = [
  { to: 'firstName', from: ({ name }) => splitName(toPlainName(name)).first, max: 100 },
  // Required by some versions and administrators.
  { to: 'lastName', from: ({ name }) => splitName(toPlainName(name)).last || NOT_GIVEN, max: 100 },
  { to: 'accountName', from: ({ company }) => toPlainName(company), max: 255 },
  { to: 'emailAddress', from: ({ email }) => toAsciiAddress(email) },
  // It takes no other form of a number.
  { to: 'phoneNumber', from: ({ phone }) => toInternationalNumber(phone) },
  { to: 'source', from: () => 'Web Site' },
  { to: 'description', from: (record) => renderLeadMarkdown(record, noteRows) },
];

/** A field's rules are its administrator's: a lead can do without these. */
const dispensable = ['firstName', 'accountName', 'emailAddress', 'phoneNumber', 'source'];
/** Written into a lead that exists, where it has no value. */
const fillable = ['accountName', 'phoneNumber'] as const;
/** Statuses of leads that are not worked on any more; one of another name is an administrator's, and open. */
const settled = ['Converted', 'Recycled', 'Dead'];

const name = v.pipe(v.string(), v.regex(/^[A-Za-z]\w{0,63}$/));
/** Of a refused value the field and the rule, such as `phoneNumber` and `valid`. */
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

/** An earlier attempt's record is among the newest. */
const MOST_LEADS = 10;
const MOST_NOTES = 20;

/** The lead that this export created, else the newest open one of the address. */
async function findLead({ call }: CrmConnection, { record }: Task) {
  const query = new URLSearchParams({
    select: Object.keys(leadSchema.entries).join(','),
    'where[0][type]': 'equals',
    'where[0][attribute]': 'emailAddress',
    'where[0][value]': toAsciiAddress(record.email),
    orderBy: 'createdAt',
    order: 'desc',
    maxSize: String(MOST_LEADS),
  });
  const { list } = await call({ path: `Lead?${query.toString()}` }, leadsSchema);
  const own = list.find(({ description }) => description.includes(record.submission_id));
  if (own) return { id: own.id, isOwn: true };
  const open = list.find(({ status }) => !settled.includes(status));

  return open && { id: open.id, empty: fillable.filter((field) => !open[field].trim()) };
}

async function fillLead({ send }: CrmConnection, leadId: string, body: object): Promise<void> {
  try {
    await send({ path: `Lead/${encodeURIComponent(leadId)}`, method: 'PUT', body });
  } catch (error) {
    // Its rules for a value, or the role's right to edit this lead: the note has it all.
    if (!hasStatus(error, 400, 403, 409)) throw error;
  }
}

async function findNote({ call }: CrmConnection, { record, ids: { lead = '' } }: Task) {
  const { list } = await call({ path: `Lead/${encodeURIComponent(lead)}/stream?maxSize=${MOST_NOTES}` }, notesSchema);
  const own = list.find(({ post }) => post.includes(record.submission_id));

  return own && { id: own.id, isOwn: true };
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
    isOwn: true,
    values: ({ record, ids, created }) =>
      created.has('lead')
        ? undefined
        : {
            type: 'Post',
            parentType: 'Lead',
            parentId: ids['lead'],
            // A post notifies whom it mentions, and anybody can type a name.
            post: breakMentions(renderLeadMarkdown(record, noteRows)),
          },
    find: (task) => findNote(connection, task),
    create: async (_task, body) => (await connection.call({ path: 'Note', body }, createdSchema)).id,
  },
];

/** How much of a scope a role gives: `yes`, `all`, `team`, `own` or `no`. */
const level = v.fallback(v.optional(v.string()), undefined);
const noRights = { create: 'no', read: 'no', edit: 'no', stream: 'no' };
/** A scope that the role doesn't give is absent; of single fields those are listed that it restricts. */
const userSchema = v.object({
  acl: v.object({
    table: v.object({ Lead: v.fallback(v.object({ create: level, read: level, edit: level, stream: level }), noRights) }),
    fieldTable: v.fallback(
      v.object({ Lead: v.fallback(v.record(v.string(), v.fallback(v.object({ read: level, edit: level }), {})), {}) }),
      { Lead: {} },
    ),
  }),
});

type User = v.InferOutput<typeof userSchema>;

function checkRights({ acl }: User): CrmCheckOutcome {
  const { create, read, edit, stream } = acl.table.Lead;
  if (create === 'no' || read === 'no') return refuse('The API user’s role doesn’t let it create and read leads.');
  if (read !== 'all') {
    return fail(`The role lets the API user read only some leads (${read ?? 'unknown'}); give it “all”, or a retry makes a second lead.`);
  }
  // What is sent for such a field is lost without an error.
  const rights = acl.fieldTable.Lead;
  const closed = leadFields.map(({ to }) => to).filter((field) => [rights[field]?.read, rights[field]?.edit].includes('no'));
  if (closed.length > 0) return fail(`The role doesn’t allow reading and editing ${closed.join(', ')} of a lead.`);
  if (stream !== 'all') {
    return fail('The role doesn’t allow the stream of all leads, where requests of a known address are posted.');
  }

  return pass(
    edit === 'no'
      ? 'Leads may be created and posted on; what is empty in one stays so, because the role may not edit it.'
      : 'Leads may be created, read, edited and posted on.',
  );
}

const isSet = v.fallback(v.optional(v.boolean()), false);
const definition = v.looseObject({ required: isSet, disabled: isSet, default: v.optional(v.unknown()) });
const definitionsSchema = v.record(v.string(), v.fallback(definition, { required: false, disabled: false }));
/** Those that every lead fills, whatever the visitor left out. */
const alwaysFilled = ['name', 'lastName', 'accountName', 'emailAddress', 'source', 'description'];

function checkFields(known: v.InferOutput<typeof definitionsSchema>): CrmCheckOutcome {
  const missing = leadFields.map(({ to }) => to).filter((field) => !known[field] || known[field].disabled);
  if (missing.length > 0) return fail(`A lead lacks ${missing.join(', ')}, which the export fills.`);
  const demanded = Object.entries(known)
    .filter(([field, { required, default: value }]) => required && (value ?? '') === '' && !alwaysFilled.includes(field))
    .map(([field]) => field);

  return demanded.length === 0
    ? pass('A lead has every field that is filled, and requires no other.')
    : fail(`A lead requires ${demanded.join(', ')}, which the export may leave empty.`);
}

/** Checks a lead's fields, which versions before 8.2 don't show. */
async function testFields({ call }: CrmConnection): Promise<CrmCheckOutcome> {
  const unknown = pass('EspoCRM doesn’t say which fields a lead has.');

  try {
    const known = await call({ path: 'Metadata?key=entityDefs.Lead.fields' }, definitionsSchema);

    return known['lastName'] ? checkFields(known) : unknown;
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

/** Creates a lead in EspoCRM. An open one of the address is filled where empty, and gets a note. */
export const createEspocrmProvider = ({ url, apiKey }: CrmSettingsOf<'espocrm'>, client: OutboundClient) =>
  createVendorProvider({
    connect: ({ signal }) => {
      // It takes namesakes for duplicates; leads are looked up by their address before.
      const headers = { 'x-api-key': apiKey, 'x-skip-duplicate-check': 'true' };

      return connectCrm(client, { origin: 'espocrm', baseUrl: `${url}/api/v1/`, headers, readRefusal }, signal);
    },
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
