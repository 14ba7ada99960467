import * as v from 'valibot';
import type { CrmSettingsOf } from '../../config/crm-settings.ts';
import type { OutboundClient } from '../../outbound/outbound-client.ts';
import type { CrmProvider, CrmRecord } from '../crm-provider.ts';
import { mapFields } from '../field-mapping.ts';
import { renderLeadHtml } from '../lead-html.ts';
import { createOdooApi, OdooError, type OdooApi } from './odoo-api.ts';
import { testOdoo } from './odoo-checks.ts';
import { descriptionRows, leadFields, REFERENCE_FIELD, utmFields, utmModels } from './odoo-fields.ts';

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

/**
 * The record of that name, made when there is none; undefined when Odoo refuses: the description
 * says the name as well, and a lead is worth more than its campaign.
 */
async function takeUtm(
  api: OdooApi,
  model: string,
  name: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    const found = await find(api, model, { field: 'name', value: name, signal });

    return found ?? (await create(api, model, { name }, signal));
  } catch (error) {
    if (error instanceof OdooError && [403, 422].includes(error.status)) return undefined;

    throw error;
  }
}

async function takeUtmIds(api: OdooApi, record: CrmRecord, signal: AbortSignal) {
  const ids: Record<string, number> = {};
  for (const [field, name] of Object.entries(mapFields(record, utmFields))) {
    const id = await takeUtm(api, utmModels[field] ?? '', name, signal);
    if (id !== undefined) ids[field] = id;
  }

  return ids;
}

/**
 * Makes a `crm.lead` of every lead, in Odoo 19 or newer. The lead's id stands in it, and is looked
 * for before anything is made, so that a repeat makes nothing.
 */
export function createOdooProvider(
  settings: CrmSettingsOf<'odoo'>,
  client: OutboundClient,
): CrmProvider {
  const api = createOdooApi(settings, client);

  const takeLead = async (record: CrmRecord, signal: AbortSignal) => {
    const reference = { field: REFERENCE_FIELD, value: record.submission_id, signal };
    const found = await find(api, 'crm.lead', reference);
    if (found !== undefined) return found;
    const values = {
      ...mapFields(record, leadFields),
      ...(await takeUtmIds(api, record, signal)),
      description: renderLeadHtml(record, descriptionRows),
    };

    return create(api, 'crm.lead', values, signal);
  };

  return {
    exportRecord: async (record, { signal }) => String(await takeLead(record, signal)),
    test: (signal) => testOdoo(api, signal),
  };
}
