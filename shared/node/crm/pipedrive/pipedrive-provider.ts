import * as v from 'valibot';
import type { CrmSettingsOf } from '../../config/crm-settings.ts';
import { MAX_LISTING_BYTES, type OutboundClient } from '../../outbound/outbound-client.ts';
import { runStep, type CrmProvider, type CrmRecord, type ExportContext } from '../crm-provider.ts';
import { mapFields, noteRows, renderLeadHtml, type MappedField } from '../lead-fields.ts';
import { createPipedriveCaller, type CallPipedrive } from './pipedrive-api.ts';
import { testPipedrive } from './pipedrive-checks.ts';

/** Fields that every account has; custom ones would have names of their own in each. */
const organizationFields: readonly MappedField[] = [
  { to: 'name', from: ({ company }) => company, max: 255 },
];

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

/** Numbers, but UUIDs for leads; handled as text. */
const idSchema = v.pipe(
  v.union([v.number(), v.pipe(v.string(), v.minLength(1))]),
  v.transform(String),
);
const createdSchema = v.object({ id: idSchema });
const foundSchema = v.object({ items: v.array(v.object({ item: v.object({ id: idSchema }) })) });
// Lists of version 1 are null when empty.
const leadsSchema = v.nullable(
  v.array(v.object({ id: idSchema, origin_id: v.nullish(v.string()) })),
);
/** The parts of a person that an export may fill; absent ones count as filled. */
const personSchema = v.object({
  phones: v.optional(v.array(v.object({ value: v.nullish(v.string()) }))),
  org_id: v.optional(v.nullable(v.number())),
});
const notesSchema = v.nullable(v.array(v.object({ id: idSchema, content: v.nullish(v.string()) })));

/** An earlier attempt's record is among the newest. */
const MOST_LEADS = 10;
const MOST_NOTES = 5;
/** Five of the longest notes exceed the limit of other responses. */
const listing = { maxResponseBytes: MAX_LISTING_BYTES };

/** One lead's export and its progress. */
interface Export {
  readonly call: CallPipedrive;
  readonly record: CrmRecord;
  readonly context: ExportContext;
}

async function create({ call, context: { signal } }: Export, path: string, body: object) {
  return (await call({ path, body, signal }, createdSchema)).id;
}

/** Persons and organizations are searched for at every attempt: most of them exist. */
async function search(
  { call, context: { signal } }: Export,
  kind: 'organizations' | 'persons',
  query: { readonly term: string; readonly fields: string },
): Promise<string | undefined> {
  const exactly = new URLSearchParams({ ...query, exact_match: 'true', limit: '1' }).toString();
  const { items } = await call({ path: `/api/v2/${kind}/search?${exactly}`, signal }, foundSchema);

  return items[0]?.item.id;
}

async function findOrCreateOrganization(task: Export): Promise<string> {
  const term = task.record.company;
  const found = await search(task, 'organizations', { term, fields: 'name' });

  return found ?? create(task, '/api/v2/organizations', mapFields(task.record, organizationFields));
}

function makePerson({ record }: Export, organizationId: string) {
  const { emails, phones, ...plain } = mapFields(record, personFields);
  const makeList = (value: string) => [{ value, primary: true, label: 'work' }];

  return {
    ...plain,
    ...(emails !== undefined && { emails: makeList(emails) }),
    ...(phones !== undefined && { phones: makeList(phones) }),
    org_id: Number(organizationId),
  };
}

/** Writes only what is empty in a person. */
async function fillPerson(task: Export, id: string, organizationId: string): Promise<void> {
  const { call, context } = task;
  const path = `/api/v2/persons/${id}`;
  const known = await call({ path, signal: context.signal }, personSchema);
  const { phones, org_id } = makePerson(task, organizationId);
  const body = {
    ...(phones && known.phones?.every(({ value }) => !value) && { phones }),
    ...(known.org_id === null && { org_id }),
  };
  if (Object.keys(body).length === 0) return;
  await call({ path, method: 'PATCH', body, signal: context.signal }, v.unknown());
}

async function findOrCreatePerson(task: Export, organizationId: string): Promise<string> {
  const term = task.record.email.toLowerCase();
  const found = await search(task, 'persons', { term, fields: 'email' });
  if (found === undefined) return create(task, '/api/v2/persons', makePerson(task, organizationId));
  await fillPerson(task, found, organizationId);

  return found;
}

/** Not by search, which lacks `origin_id` and lags behind. Archived leads have a list of their own. */
async function findLead({ call, record, context }: Export, personId: string): Promise<string | undefined> {
  const newest = { person_id: personId, sort: 'add_time DESC', limit: String(MOST_LEADS) };
  for (const list of ['leads', 'leads/archived']) {
    const path = `/v1/${list}?${new URLSearchParams(newest).toString()}`;
    const leads = await call({ ...listing, path, signal: context.signal }, leadsSchema);
    const own = leads?.find(({ origin_id: origin }) => origin === record.submission_id);
    if (own) return own.id;
  }

  return undefined;
}

async function findOrCreateLead(task: Export, organizationId: string, personId: string): Promise<string> {
  const found = task.context.attempt > 1 ? await findLead(task, personId) : undefined;

  return (
    found ??
    create(task, '/v1/leads', {
      ...mapFields(task.record, leadFields),
      person_id: Number(personId),
      organization_id: Number(organizationId),
    })
  );
}

async function findNote({ call, record, context }: Export, leadId: string) {
  const newest = { lead_id: leadId, sort: 'add_time DESC', limit: String(MOST_NOTES) };
  const path = `/v1/notes?${new URLSearchParams(newest).toString()}`;
  const notes = await call({ ...listing, path, signal: context.signal }, notesSchema);

  return notes?.find(({ content }) => content?.includes(record.submission_id))?.id;
}

async function findOrCreateNote(task: Export, leadId: string): Promise<string> {
  const found = task.context.attempt > 1 ? await findNote(task, leadId) : undefined;
  const content = renderLeadHtml(task.record, noteRows);

  return found ?? create(task, '/v1/notes', { content, lead_id: leadId });
}

/**
 * Creates for every submission a Pipedrive lead with a note, for the person of that address and the
 * organization of that name; both are created where they don't exist. Of an existing person only what is
 * empty is filled: anybody can type a customer's address.
 */
export function createPipedriveProvider(
  settings: CrmSettingsOf<'pipedrive'>,
  client: OutboundClient,
): CrmProvider {
  return {
    exportRecord: async (record, context) => {
      const call = createPipedriveCaller(settings, client, context.lastFailure);
      const task = { call, record, context };
      const [company, email] = [record.company.toLowerCase(), record.email.toLowerCase()];
      // There is no upsert: two leads of one person would both search, find nothing and create.
      const organizationId = await runStep(context, 'organization', () =>
        context.withAdvisoryLock(`organization ${company}`, () => findOrCreateOrganization(task)),
      );
      const personId = await runStep(context, 'person', () =>
        context.withAdvisoryLock(`person ${email}`, () => findOrCreatePerson(task, organizationId)),
      );
      const leadId = await runStep(context, 'lead', () => findOrCreateLead(task, organizationId, personId));
      await runStep(context, 'note', () => findOrCreateNote(task, leadId));

      return leadId;
    },
    test: (signal) => testPipedrive(createPipedriveCaller(settings, client), signal),
  };
}
