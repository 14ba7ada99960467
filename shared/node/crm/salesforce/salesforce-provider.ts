import * as v from 'valibot';
import { industryOptions } from '../../../contact/industry-options.ts';
import type { CrmSettingsOf } from '../../config/crm-settings.ts';
import type { OutboundClient } from '../../outbound/outbound-client.ts';
import type { CrmProvider, CrmRecord } from '../crm-provider.ts';
import { mapFields, sourceRows, splitName, type MappedField } from '../lead-fields.ts';
import { readResponse } from '../read-response.ts';
import { connectSalesforce, makeCallError, readSalesforceCode, type CallSalesforce } from './salesforce-api.ts';
import { testSalesforce, type WrittenLead } from './salesforce-checks.ts';

/** Salesforce accepts no lead without a last name and a company. */
const NOT_GIVEN = '[not provided]';
const LEAD_SOURCE = 'Web';
const MAX_EMAIL = 80;

/** What has no field of its own in every organization, as rows of the description. */
const descriptionRows: readonly MappedField[] = [
  { to: 'Message', from: ({ message }) => message },
  // An address can't be cut, so one too long for its field stands here.
  { to: 'E-mail', from: ({ email }) => (email.length > MAX_EMAIL ? email : null) },
  ...sourceRows,
  { to: 'Received', from: ({ received_at: time }) => time },
];

const makeDescription = (record: CrmRecord) =>
  Object.entries(mapFields(record, descriptionRows))
    .map(([label, value]) => `${label}: ${value}`)
    .join('\n');

/** Standard fields of a lead, with their lengths. Source: Salesforce's object reference, Lead. */
const leadFields: readonly MappedField[] = [
  { to: 'FirstName', from: ({ name }) => splitName(name).first, max: 40 },
  { to: 'LastName', from: ({ name }) => splitName(name).last || NOT_GIVEN, max: 80 },
  { to: 'Company', from: ({ company }) => company.trim() || NOT_GIVEN, max: 255 },
  { to: 'Email', from: ({ email }) => (email.length > MAX_EMAIL ? null : email.toLowerCase()) },
  { to: 'Phone', from: ({ phone }) => phone, max: 40 },
  { to: 'Industry', from: ({ industry_label: label }) => label, max: 255 },
  { to: 'LeadSource', from: () => LEAD_SOURCE },
  { to: 'Description', from: makeDescription, max: 32_000 },
];

/** What is sent to picklists, which an organization may have restricted to values of its own. */
const choices: WrittenLead['choices'] = {
  Industry: industryOptions.map(({ label }) => label),
  LeadSource: [LEAD_SOURCE],
};

const foundSchema = v.object({ Id: v.pipe(v.string(), v.nonEmpty()) });
const upsertSchema = v.object({ id: v.pipe(v.string(), v.nonEmpty()), success: v.literal(true) });

/** Overrides duplicate rules that only warn of a similar record. Needs version 52 or later. */
const duplicateRules = {
  'sforce-duplicate-rule-header':
    'allowSave=true; includeRecordDetails=false; runAsCurrentUser=false',
};

/** Refusals that mean sales has the lead: as a similar record, or as a contact. */
const KNOWN_LEAD_CODES = new Set(['DUPLICATES_DETECTED', 'CANNOT_UPDATE_CONVERTED_LEAD']);

interface NewLead {
  readonly keyField: string;
  readonly key: string;
  /** All but the key field. */
  readonly fields: Readonly<Record<string, string>>;
}

const makePath = ({ keyField, key }: NewLead) => `/sobjects/Lead/${keyField}/${encodeURIComponent(key)}`;

/** The id of the lead that has this key, null when Salesforce doesn't return it; undefined when there is no such lead. */
async function findLead(call: CallSalesforce, lead: NewLead, signal: AbortSignal): Promise<string | null | undefined> {
  const response = await call({ method: 'GET', path: `${makePath(lead)}?fields=Id`, signal });
  // Also where the key field is none, which the upsert then shows.
  if (response.status === 404) return undefined;
  if (response.status !== 200) throw makeCallError(response);

  return response.isTruncated ? null : readResponse('salesforce', response, foundSchema).Id;
}

/**
 * Creates or updates the lead of this key; idempotent. Resolves to its id; to null when Salesforce doesn't
 * return it or had the lead otherwise.
 * @throws DeliveryError
 */
async function upsertLead(
  call: CallSalesforce,
  lead: NewLead,
  signal: AbortSignal,
): Promise<string | null> {
  const response = await call({
    method: 'PATCH',
    path: makePath(lead),
    headers: duplicateRules,
    body: lead.fields,
    signal,
  });
  switch (response.status) {
    case 200:
    case 201:
      // The lead exists; nothing needs its id.
      if (response.isTruncated) return null;

      return readResponse('salesforce', response, upsertSchema).id;
    case 204:
      return null;
    case 400:
      if (KNOWN_LEAD_CODES.has(readSalesforceCode(response) ?? '')) return null;
      throw makeCallError(response);
    default:
      throw makeCallError(response);
  }
}

/**
 * Exports every submission as a lead whose external id is the submission's. A repeat leaves the lead that it finds as
 * it is: sales may have changed it since.
 */
export function createSalesforceProvider(
  settings: CrmSettingsOf<'salesforce'>,
  client: OutboundClient,
): CrmProvider {
  const call = connectSalesforce(settings, client);

  return {
    exportRecord: async (record, { attempt, signal }) => {
      const lead = {
        keyField: settings.externalIdField,
        key: record.submission_id,
        fields: mapFields(record, leadFields),
      };

      const found = attempt > 1 ? await findLead(call, lead, signal) : undefined;

      return found === undefined ? upsertLead(call, lead, signal) : found;
    },
    test: (signal) => {
      const written = { fields: leadFields.map(({ to }) => to), choices, keyField: settings.externalIdField };

      return testSalesforce(call, written, signal);
    },
  };
}
