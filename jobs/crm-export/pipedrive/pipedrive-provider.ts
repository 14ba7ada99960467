import * as v from 'valibot';
import type { CrmSettingsOf } from '../../../shared/node/config/crm-settings.ts';
import type { OutboundClient } from '../../outbound/outbound-client.ts';
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
const notesSchema = v.nullable(v.array(v.object({ id: idSchema, content: v.nullish(v.string()) })));

/** What is looked for is among the newest; longer lists would exceed the longest answer. */
const MOST_LEADS = 10;
const MOST_NOTES = 5;

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

/** What is there of a known person is left as sales keep it. */
async function takePerson(task: Export, organizationId: string): Promise<string> {
  const term = task.record.email.toLowerCase();
  const found = await search(task, 'persons', { term, fields: 'email' });
  if (found !== undefined) return found;
  const { emails, phones, ...plain } = mapFields(task.record, personFields);
  const makeList = (value: string) => [{ value, primary: true, label: 'work' }];

  return create(task, '/api/v2/persons', {
    ...plain,
    ...(emails !== undefined && { emails: makeList(emails) }),
    ...(phones !== undefined && { phones: makeList(phones) }),
    org_id: Number(organizationId),
  });
}

/** Search doesn't know `origin_id` and lags behind; the list of a person's leads does neither. */
async function findLead({ call, record, context }: Export, personId: string) {
  const newest = { person_id: personId, sort: 'add_time DESC', limit: String(MOST_LEADS) };
  const path = `/v1/leads?${new URLSearchParams(newest).toString()}`;
  const leads = await call({ path, signal: context.signal }, leadsSchema);

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
  const notes = await call({ path, signal: context.signal }, notesSchema);

  return notes?.find(({ content }) => content?.includes(record.submission_id))?.id;
}

async function takeNote(task: Export, leadId: string): Promise<string> {
  const found = task.context.attempt > 1 ? await findNote(task, leadId) : undefined;
  const content = renderLeadHtml(task.record, noteRows);

  return found ?? create(task, '/v1/notes', { content, lead_id: leadId });
}

/**
 * Makes of every lead a Pipedrive lead with a note, for the person of that address and the
 * organisation of that name; both are made when they aren't there.
 */
export function createPipedriveProvider(
  settings: CrmSettingsOf<'pipedrive'>,
  client: OutboundClient,
): CrmProvider {
  const call = createPipedriveCaller(settings, client);

  return {
    exportRecord: async (record, context) => {
      const task = { call, record, context };
      const [company, email] = [record.company.toLowerCase(), record.email.toLowerCase()];
      // There is no upsert: two leads of one person would both search, find nothing and create.
      const organizationId = await takeStep(task, 'organization', () =>
        context.runAlone(`organization ${company}`, () => takeOrganization(task)),
      );
      const personId = await takeStep(task, 'person', () =>
        context.runAlone(`person ${email}`, () => takePerson(task, organizationId)),
      );
      const leadId = await takeStep(task, 'lead', () => takeLead(task, organizationId, personId));
      await takeStep(task, 'note', () => takeNote(task, leadId));

      return leadId;
    },
    test: (signal) => testPipedrive(call, signal),
  };
}
