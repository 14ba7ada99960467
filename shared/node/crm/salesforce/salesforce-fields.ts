import { industryOptions } from '../../../contact/industry-options.ts';
import type { CrmRecord } from '../crm-provider.ts';
import { mapFields, splitName, type MappedField } from '../field-mapping.ts';
import { sourceRows } from '../lead-html.ts';

/** Salesforce makes no lead without a last name and a company. */
const NOT_GIVEN = '[not provided]';
const LEAD_SOURCE = 'Web';
const MAX_EMAIL = 80;

/** What has no field of its own in every organisation, as rows of the description. */
export const salesforceDescriptionRows: readonly MappedField[] = [
  { to: 'Message', from: ({ message }) => message },
  // An address can't be cut, so one too long for its field is told here.
  { to: 'E-mail', from: ({ email }) => (email.length > MAX_EMAIL ? email : null) },
  ...sourceRows,
  { to: 'Received', from: ({ received_at: time }) => time },
];

const makeDescription = (record: CrmRecord) =>
  Object.entries(mapFields(record, salesforceDescriptionRows))
    .map(([label, value]) => `${label}: ${value}`)
    .join('\n');

/** Standard fields of a lead, with their lengths. Source: Salesforce's object reference, Lead. */
export const salesforceLeadFields: readonly MappedField[] = [
  { to: 'FirstName', from: ({ name }) => splitName(name).first, max: 40 },
  { to: 'LastName', from: ({ name }) => splitName(name).last || NOT_GIVEN, max: 80 },
  { to: 'Company', from: ({ company }) => company.trim() || NOT_GIVEN, max: 255 },
  { to: 'Email', from: ({ email }) => (email.length > MAX_EMAIL ? null : email.toLowerCase()) },
  { to: 'Phone', from: ({ phone }) => phone, max: 40 },
  { to: 'Industry', from: ({ industry_label: label }) => label, max: 255 },
  { to: 'LeadSource', from: () => LEAD_SOURCE },
  { to: 'Description', from: makeDescription, max: 32_000 },
];

/** What is sent to picklists, which an organisation may have restricted to values of its own. */
export const salesforceChoices: Readonly<Record<string, readonly string[]>> = {
  Industry: industryOptions.map(({ label }) => label),
  LeadSource: [LEAD_SOURCE],
};
