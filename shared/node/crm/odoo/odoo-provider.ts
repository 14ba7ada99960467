import * as v from 'valibot';
import type { CrmSettingsOf } from '../../config/crm-settings.ts';
import { ResponseError } from '../../outbound/delivery-error.ts';
import type { OutboundClient } from '../../outbound/outbound-client.ts';
import type { CrmProvider, CrmRecord, ExportContext } from '../crm-provider.ts';
import { mapFields, renderLeadHtml, renderLeadText, sourceRows, type MappedField } from '../lead-fields.ts';
import { createOdooApi, type OdooApi } from './odoo-api.ts';
import { testOdoo } from './odoo-checks.ts';
import { createOdooRpcApi, takesHtml } from './odoo-rpc.ts';

/** A field of every Odoo: no custom one is needed to find a lead again. */
const REFERENCE_FIELD = 'referred';

/**
 * Fields of `crm.lead`, all of them Odoo's own. `type` is left to Odoo: it creates leads where these
 * are switched on in the CRM's settings, and opportunities elsewhere, where a lead would be hidden.
 */
const leadFields: readonly MappedField[] = [
  { to: 'name', from: ({ company }) => `${company}: assessment request` },
  { to: 'contact_name', from: ({ name }) => name },
  { to: 'partner_name', from: ({ company }) => company },
  { to: 'email_from', from: ({ email }) => email.toLowerCase() },
  { to: 'phone', from: ({ phone }) => phone },
  { to: REFERENCE_FIELD, from: ({ submission_id: id }) => id },
];

/** Fields of `crm.lead` that name a record of another model, which is looked up by its name. */
const utmFields: readonly MappedField[] = [
  { to: 'source_id', from: ({ source }) => source['utm_source'] },
  { to: 'medium_id', from: ({ source }) => source['utm_medium'] },
  { to: 'campaign_id', from: ({ source }) => source['utm_campaign'] },
];

const utmModels: Readonly<Record<string, string>> = {
  source_id: 'utm.source',
  medium_id: 'utm.medium',
  campaign_id: 'utm.campaign',
};

const writtenFields = [...leadFields, ...utmFields].map(({ to }) => to).concat('description', 'user_id');

/** What `description` says below the message, by its labels. */
const descriptionRows: readonly MappedField[] = [
  { to: 'Industry', from: ({ industry_label: label }) => label },
  ...sourceRows,
  { to: 'Received', from: ({ received_at: time }) => time },
];

const idSchema = v.pipe(v.number(), v.integer());
const foundSchema = v.array(v.object({ id: idSchema }));
const createdSchema = v.tuple([idSchema]);

/** Finds a record by the value of one field, also an archived one: a lost lead is archived. */
async function find(
  api: OdooApi,
  model: string,
  { field, value, signal }: { field: string; value: string; signal: AbortSignal },
): Promise<number | undefined> {
  const named = {
    domain: [[field, '=', value]],
    fields: ['id'],
    limit: 1,
    context: { active_test: false },
  };

  return (await api.call({ model, method: 'search_read', named, signal }, foundSchema))[0]?.id;
}

async function create(api: OdooApi, model: string, values: object, signal: AbortSignal) {
  const named = { vals_list: [values] };
  const [id] = await api.call({ model, method: 'create', named, signal }, createdSchema);

  return id;
}

/** One lead's export and its progress. */
interface OdooExport {
  readonly api: OdooApi;
  readonly record: CrmRecord;
  readonly context: ExportContext;
}

/**
 * The record of that name, created where there is none; undefined when Odoo refuses: the description
 * has the name as well, and a lead is worth more than its campaign.
 */
async function findOrCreateUtm({ api, context }: OdooExport, model: string, name: string): Promise<number | undefined> {
  const { signal } = context;

  try {
    // Odoo renames a second one of the name: two leads would both search, find nothing and create.
    return await context.withAdvisoryLock(`${model} ${name}`, async () => {
      const found = await find(api, model, { field: 'name', value: name, signal });

      return found ?? (await create(api, model, { name }, signal));
    });
  } catch (error) {
    if (error instanceof ResponseError && [403, 422].includes(error.status)) return undefined;

    throw error;
  }
}

async function findOrCreateUtmIds(task: OdooExport) {
  const ids: Record<string, number> = {};
  for (const [field, name] of Object.entries(mapFields(task.record, utmFields))) {
    const id = await findOrCreateUtm(task, utmModels[field] ?? '', name);
    if (id !== undefined) ids[field] = id;
  }

  return ids;
}

async function findOrCreateLead(task: OdooExport): Promise<number> {
  const { api, record, context: { signal } } = task;
  const found = await find(api, 'crm.lead', { field: REFERENCE_FIELD, value: record.submission_id, signal });
  if (found !== undefined) return found;
  const renderLead = (await takesHtml(api, signal)) ? renderLeadHtml : renderLeadText;
  const values = {
    ...mapFields(record, leadFields),
    ...(await findOrCreateUtmIds(task)),
    description: renderLead(record, descriptionRows),
    // By default the API user owns it: then salespeople with their own documents only don't see it, and Odoo doesn't
    // assign it to anybody.
    user_id: false,
  };

  return create(api, 'crm.lead', values, signal);
}

/**
 * Creates a `crm.lead` of every lead, in Odoo 19 or newer, or with a login in 14 or newer. It holds the submission's id, which is searched
 * for before anything is created, so that a repeat creates nothing.
 */
export function createOdooProvider(
  settings: CrmSettingsOf<'odoo'>,
  client: OutboundClient,
): CrmProvider {
  const { login } = settings;
  const api = login === undefined ? createOdooApi(settings, client) : createOdooRpcApi(settings, login, client);

  return {
    exportRecord: async (record, context) => String(await findOrCreateLead({ api, record, context })),
    test: (signal) => testOdoo(api, writtenFields, signal),
  };
}
