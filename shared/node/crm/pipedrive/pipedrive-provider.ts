import * as v from 'valibot';
import type { CrmSettingsOf } from '../../config/crm-settings.ts';
import { MAX_LISTING_BYTES, type OutboundClient } from '../../outbound/outbound-client.ts';
import type { CrmProvider, CrmRecord, ExportContext } from '../crm-provider.ts';
import { mapFields } from '../field-mapping.ts';
import { renderLeadHtml } from '../lead-html.ts';
import { createPipedriveCaller, type CallPipedrive } from './pipedrive-api.ts';
import { testPipedrive } from './pipedrive-checks.ts';
import { leadFields, noteRows, organizationFields, personFields } from './pipedrive-fields.ts';

/** Numbers, but UUIDs for leads; kept as text. */
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

/** What is looked for is among the newest. */
const MOST_LEADS = 10;
const MOST_NOTES = 5;
/** Five of the longest notes exceed what other answers may have. */
const listing = { maxAnswerBytes: MAX_LISTING_BYTES };

/** One lead on its way, and how far it came. */
interface Export {
  readonly call: CallPipedrive;
  readonly record: CrmRecord;
  readonly context: ExportContext;
}

type Step = 'organization' | 'person' | 'lead' | 'note';

/** The id of what a step made in an earlier try; else does the step and keeps its id at once. */
async function takeStep(
  { context: { steps } }: Export,
  step: Step,
  perform: () => Promise<string>,
): Promise<string> {
  const done = steps.get(step);
  if (done !== undefined) return done;
  const id = await perform();
  await steps.record(step, id);

  return id;
}

async function create({ call, context: { signal } }: Export, path: string, body: object) {
  return (await call({ path, body, signal }, createdSchema)).id;
}

/** Persons and organisations are looked up at every try: most of them are there already. */
async function search(
  { call, context: { signal } }: Export,
  kind: 'organizations' | 'persons',
  query: { readonly term: string; readonly fields: string },
): Promise<string | undefined> {
  const exactly = new URLSearchParams({ ...query, exact_match: 'true', limit: '1' }).toString();
  const { items } = await call({ path: `/api/v2/${kind}/search?${exactly}`, signal }, foundSchema);

  return items[0]?.item.id;
}

async function takeOrganization(task: Export): Promise<string> {
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

/** Fills what a person has no value of; what is there stays as it is. */
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

async function takePerson(task: Export, organizationId: string): Promise<string> {
  const term = task.record.email.toLowerCase();
  const found = await search(task, 'persons', { term, fields: 'email' });
  if (found === undefined) return create(task, '/api/v2/persons', makePerson(task, organizationId));
  await fillPerson(task, found, organizationId);

  return found;
}

/** Search doesn't know `origin_id` and lags behind; the list of a person's leads does neither. */
async function findLead({ call, record, context }: Export, personId: string) {
  const newest = { person_id: personId, sort: 'add_time DESC', limit: String(MOST_LEADS) };
  const path = `/v1/leads?${new URLSearchParams(newest).toString()}`;
  const leads = await call({ ...listing, path, signal: context.signal }, leadsSchema);

  return leads?.find(({ origin_id: origin }) => origin === record.submission_id)?.id;
}

async function takeLead(task: Export, organizationId: string, personId: string): Promise<string> {
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

async function takeNote(task: Export, leadId: string): Promise<string> {
  const found = task.context.attempt > 1 ? await findNote(task, leadId) : undefined;
  const content = renderLeadHtml(task.record, noteRows);

  return found ?? create(task, '/v1/notes', { content, lead_id: leadId });
}

/**
 * Makes of every lead a Pipedrive lead with a note, for the person of that address and the
 * organisation of that name; both are made when they aren't there. Of a person that is there only
 * what is empty is filled: anybody can type a customer's address.
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
      const organizationId = await takeStep(task, 'organization', () =>
        context.tryWithAdvisoryLock(`organization ${company}`, () => takeOrganization(task)),
      );
      const personId = await takeStep(task, 'person', () =>
        context.tryWithAdvisoryLock(`person ${email}`, () => takePerson(task, organizationId)),
      );
      const leadId = await takeStep(task, 'lead', () => takeLead(task, organizationId, personId));
      await takeStep(task, 'note', () => takeNote(task, leadId));

      return leadId;
    },
    test: (signal) => testPipedrive(createPipedriveCaller(settings, client), signal),
  };
}
