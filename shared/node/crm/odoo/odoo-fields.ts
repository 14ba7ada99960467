import type { MappedField } from '../field-mapping.ts';
import { sourceRows } from '../lead-html.ts';

/** A field every Odoo has: no custom one is needed to find a lead again. */
export const REFERENCE_FIELD = 'referred';

/**
 * Fields of `crm.lead`, all of them Odoo's own. `type` is left to Odoo: it makes leads where these
 * are switched on in the CRM's settings, and opportunities elsewhere, where a lead would be hidden.
 */
export const leadFields: readonly MappedField[] = [
  { to: 'name', from: ({ company }) => `${company}: assessment request` },
  { to: 'contact_name', from: ({ name }) => name },
  { to: 'partner_name', from: ({ company }) => company },
  { to: 'email_from', from: ({ email }) => email.toLowerCase() },
  { to: 'phone', from: ({ phone }) => phone },
  { to: REFERENCE_FIELD, from: ({ submission_id: id }) => id },
];

/** Fields of `crm.lead` that name a record of another model, which is looked up by its name. */
export const utmFields: readonly MappedField[] = [
  { to: 'source_id', from: ({ source }) => source['utm_source'] },
  { to: 'medium_id', from: ({ source }) => source['utm_medium'] },
  { to: 'campaign_id', from: ({ source }) => source['utm_campaign'] },
];

export const utmModels: Readonly<Record<string, string>> = {
  source_id: 'utm.source',
  medium_id: 'utm.medium',
  campaign_id: 'utm.campaign',
};

/** What `description` says below the message, by its labels. */
export const descriptionRows: readonly MappedField[] = [
  { to: 'Industry', from: ({ industry_label: label }) => label },
  ...sourceRows,
  { to: 'Received', from: ({ received_at: time }) => time },
];
