import * as v from 'valibot';
import type { CrmSettingsOf } from '../../config/crm-settings.ts';
import { breakMentions } from '../../outbound/chat-message.ts';
import { ResponseError } from '../../outbound/delivery-error.ts';
import { MAX_LISTING_BYTES, type OutboundClient } from '../../outbound/outbound-client.ts';
import { runStep, type CrmProvider, type CrmRecord, type ExportContext } from '../crm-provider.ts';
import {
  mapFields,
  NOT_GIVEN,
  noteRows,
  renderLeadMarkdown,
  splitName,
  toAsciiAddress,
  toInternationalNumber,
  type MappedField,
} from '../lead-fields.ts';
import { createEspocrmCaller, EspocrmError, type CallEspocrm } from './espocrm-api.ts';
import { testEspocrm } from './espocrm-checks.ts';

/** Without the characters that EspoCRM refuses in names; the description has what was typed. */
const toPlainName = (name: string) => name.replace(/[<>=]/g, '');

/** Fields of a lead, all of them EspoCRM's own. */
const leadFields: readonly MappedField[] = [
  { to: 'firstName', from: ({ name }) => splitName(toPlainName(name)).first, max: 100 },
  // Required by some versions and administrators.
  { to: 'lastName', from: ({ name }) => splitName(toPlainName(name)).last || NOT_GIVEN, max: 100 },
  { to: 'accountName', from: ({ company }) => toPlainName(company), max: 255 },
  { to: 'emailAddress', from: ({ email }) => toAsciiAddress(email) },
  // It takes no other form of a number.
  { to: 'phoneNumber', from: ({ phone }) => toInternationalNumber(phone) },
  { to: 'source', from: () => 'Web Site' },
];

/** Left out where EspoCRM refuses their values, as a field's rules are its administrator's: a lead is worth more. */
const dispensable = ['firstName', 'accountName', 'emailAddress', 'phoneNumber', 'source'];

/** Written into a lead that exists, where it has no value. */
const fillable = ['accountName', 'phoneNumber'] as const;

/** Statuses of leads that are not worked on any more; one of another name is an administrator's, and open. */
const settled = ['Converted', 'Recycled', 'Dead'];

const idSchema = v.pipe(v.string(), v.minLength(1));
const createdSchema = v.object({ id: idSchema });
const text = v.nullish(v.string(), '');
const leadSchema = v.object({
  id: idSchema,
  status: text,
  description: text,
  accountName: text,
  phoneNumber: text,
});
type Lead = v.InferOutput<typeof leadSchema>;
const leadsSchema = v.object({ list: v.array(leadSchema) });
const notesSchema = v.object({ list: v.array(v.object({ id: idSchema, post: text })) });

/** An earlier attempt's record is among the newest. */
const MOST_LEADS = 10;
const MOST_NOTES = 20;

/** One lead's export and its progress. */
interface Export {
  readonly call: CallEspocrm;
  readonly record: CrmRecord;
  readonly context: ExportContext;
}

/** The newest leads of the address, the newest first. */
async function findLeads({ call, record, context: { signal } }: Export): Promise<readonly Lead[]> {
  const query = new URLSearchParams({
    select: Object.keys(leadSchema.entries).join(','),
    'where[0][type]': 'equals',
    'where[0][attribute]': 'emailAddress',
    'where[0][value]': toAsciiAddress(record.email),
    orderBy: 'createdAt',
    order: 'desc',
    maxSize: String(MOST_LEADS),
  });
  const path = `Lead?${query.toString()}`;

  return (await call({ path, maxResponseBytes: MAX_LISTING_BYTES, signal }, leadsSchema)).list;
}

/** Creates a lead, without those values that EspoCRM refuses and that it can do without. */
async function createLead({ call, record, context: { signal, steps } }: Export): Promise<string> {
  const description = renderLeadMarkdown(record, noteRows);
  let body: Record<string, string> = { ...mapFields(record, leadFields), description };
  for (;;) {
    try {
      const { id } = await call({ path: 'Lead', body, signal }, createdSchema);
      // By its address a repeat can't find it.
      if (body['emailAddress'] === undefined) await steps.record('lead', id);

      return id;
    } catch (error) {
      const refused = error instanceof EspocrmError ? error.refusedField : undefined;
      if (refused === undefined || !(refused in body) || !dispensable.includes(refused)) throw error;
      body = Object.fromEntries(Object.entries(body).filter(([field]) => field !== refused));
    }
  }
}

/** Writes only what is empty in a lead, if EspoCRM lets it: the note has it all. */
async function fillLead({ call, record, context: { signal } }: Export, lead: Lead): Promise<void> {
  const values = mapFields(record, leadFields);
  const empty = fillable.filter((field) => values[field] !== undefined && !lead[field].trim());
  if (empty.length === 0) return;
  const body = Object.fromEntries(empty.map((field) => [field, values[field]]));

  try {
    await call({ path: `Lead/${encodeURIComponent(lead.id)}`, method: 'PUT', body, signal }, v.unknown());
  } catch (error) {
    // Its rules for a value, or the role's right to edit this lead.
    if (!(error instanceof ResponseError) || ![400, 403, 409].includes(error.status)) throw error;
  }
}

/** The lead that got this request, and whether it says so itself or needs a note. */
async function findOrCreateLead(task: Export): Promise<{ readonly id: string; readonly isOwn: boolean }> {
  const recorded = task.context.steps.get('lead');
  if (recorded !== undefined) return { id: recorded, isOwn: true };
  const leads = await findLeads(task);
  const own = leads.find(({ description }) => description.includes(task.record.submission_id));
  if (own) return { id: own.id, isOwn: true };
  const open = leads.find(({ status }) => !settled.includes(status));
  if (!open) return { id: await createLead(task), isOwn: true };
  await fillLead(task, open);

  return { id: open.id, isOwn: false };
}

async function findNote({ call, record, context: { signal } }: Export, leadId: string) {
  const path = `Lead/${encodeURIComponent(leadId)}/stream?maxSize=${MOST_NOTES}`;
  const { list } = await call({ path, maxResponseBytes: MAX_LISTING_BYTES, signal }, notesSchema);

  return list.find(({ post }) => post.includes(record.submission_id))?.id;
}

async function findOrCreateNote(task: Export, leadId: string): Promise<string> {
  const { call, record, context } = task;
  const found = context.attempt > 1 ? await findNote(task, leadId) : undefined;
  // A post notifies whom it mentions, and anybody can type a name; the address is a field's value of the lead.
  const post = breakMentions(renderLeadMarkdown(record, noteRows));
  const body = { type: 'Post', parentType: 'Lead', parentId: leadId, post };

  return found ?? (await call({ path: 'Note', body, signal: context.signal }, createdSchema)).id;
}

/**
 * Creates a lead in EspoCRM. Where an open lead has the address already, only what is empty in it is
 * filled, and a note in its stream has all that was typed: anybody can type a customer's address.
 * One that was converted or given up stays as it is, and the request is a new lead.
 */
export function createEspocrmProvider(
  settings: CrmSettingsOf<'espocrm'>,
  client: OutboundClient,
): CrmProvider {
  const call = createEspocrmCaller(settings, client);

  return {
    exportRecord: async (record, context) => {
      const task = { call, record, context };
      // At every attempt, because sales may have merged or removed a lead of an earlier one. Under a
      // lock: two requests of one person would both find no lead and create one.
      const { id, isOwn } = await context.withAdvisoryLock(`lead ${toAsciiAddress(record.email)}`, () =>
        findOrCreateLead(task),
      );
      if (!isOwn) await runStep(context, 'note', () => findOrCreateNote(task, id));

      return id;
    },
    test: (signal) => testEspocrm(call, [...leadFields.map(({ to }) => to), 'description'], signal),
  };
}
