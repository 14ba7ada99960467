import * as v from 'valibot';
import { industryOptions } from '../../../contact/industry-options.ts';
import type { CrmSettingsOf } from '../../config/crm-settings.ts';
import type { OutboundClient } from '../../outbound/outbound-client.ts';
import type { CrmProvider, CrmRecord } from '../crm-provider.ts';
import { mapFields, NOT_GIVEN, sourceRows, splitName, toAsciiAddress, type MappedField } from '../lead-fields.ts';
import { readResponse } from '../read-response.ts';
import {
  connectSalesforce,
  makeCallError,
  readSalesforceCode,
  SalesforceError,
  type CallSalesforce,
} from './salesforce-api.ts';
import { testSalesforce, type WrittenLead } from './salesforce-checks.ts';

const LEAD_SOURCE = 'Web';
const MAX_FIRST_NAME = 40;
const MAX_LAST_NAME = 80;
const MAX_EMAIL = 80;

/** The address as its field takes it, null where it is too long: an address can't be cut. */
function toFieldAddress(email: string): string | null {
  const address = toAsciiAddress(email);

  return address.length > MAX_EMAIL ? null : address;
}

function fitsFields(name: string): boolean {
  const { first, last } = splitName(name);

  return first.length <= MAX_FIRST_NAME && last.length <= MAX_LAST_NAME;
}

/**
 * Fields that a lead can do without, by the code with which Salesforce refuses their values: an address, or a choice
 * that a restricted picklist doesn't have. A lead is worth more; its description has what the visitor gave.
 */
const dispensable: Readonly<Record<string, readonly string[]>> = {
  INVALID_EMAIL_ADDRESS: ['Email'],
  INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST: ['Industry', 'LeadSource'],
};

/** What has no field of its own, or is not whole there, as rows of the description. */
const listDescriptionRows = (omitted: readonly string[]): readonly MappedField[] => [
  { to: 'Message', from: ({ message }) => message },
  { to: 'Name', from: ({ name }) => (fitsFields(name) ? null : name) },
  {
    to: 'E-mail',
    from: ({ email }) => {
      const isWhole = !omitted.includes('Email') && toFieldAddress(email) === email.toLowerCase();

      return isWhole ? null : email;
    },
  },
  { to: 'Industry', from: ({ industry_label: label }) => (omitted.includes('Industry') ? label : null) },
  ...sourceRows,
  { to: 'Received', from: ({ received_at: time }) => time },
];

const makeDescription = (record: CrmRecord, omitted: readonly string[]) =>
  Object.entries(mapFields(record, listDescriptionRows(omitted)))
    .map(([label, value]) => `${label}: ${value}`)
    .join('\n');

/**
 * Standard fields of a lead, with their lengths; it needs a last name and a company. Source: Salesforce's object
 * reference, Lead.
 */
const leadFields: readonly MappedField[] = [
  { to: 'FirstName', from: ({ name }) => splitName(name).first, max: MAX_FIRST_NAME },
  { to: 'LastName', from: ({ name }) => splitName(name).last || NOT_GIVEN, max: MAX_LAST_NAME },
  { to: 'Company', from: ({ company }) => company.trim() || NOT_GIVEN, max: 255 },
  { to: 'Email', from: ({ email }) => toFieldAddress(email) },
  { to: 'Phone', from: ({ phone }) => phone, max: 40 },
  { to: 'Industry', from: ({ industry_label: label }) => label, max: 255 },
  { to: 'LeadSource', from: () => LEAD_SOURCE },
];

/** The fields of a lead without those that Salesforce refuses. */
const listLeadFields = (omitted: readonly string[]): readonly MappedField[] => [
  ...leadFields.filter(({ to }) => !omitted.includes(to)),
  { to: 'Description', from: (record) => makeDescription(record, omitted), max: 32_000 },
];

/** Fields of every lead; the few whose address is refused have no `Email`, and wait with the others. */
const alwaysFilled: WrittenLead['alwaysFilled'] = ['LastName', 'Company', 'Email', 'LeadSource', 'Description'];

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

/** Sales has made a contact of the lead of this key. */
const CONVERTED = 'CANNOT_UPDATE_CONVERTED_LEAD';
/** A unique field, maybe the external id, has this value in a lead created meanwhile. */
const DUPLICATE = 'DUPLICATE_VALUE';

/** The external id field and its value, by which a lead is found. */
interface LeadKey {
  readonly field: string;
  readonly value: string;
}

const makePath = ({ field, value }: LeadKey) => `/sobjects/Lead/${field}/${encodeURIComponent(value)}`;

/** The id of the lead that has this key, null when Salesforce doesn't return it; undefined when there is no such lead. */
async function findLead(call: CallSalesforce, key: LeadKey, signal: AbortSignal): Promise<string | null | undefined> {
  const response = await call({ method: 'GET', path: `${makePath(key)}?fields=Id`, signal });
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
  key: LeadKey,
  fields: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string | null> {
  const response = await call({
    method: 'PATCH',
    path: makePath(key),
    headers: duplicateRules,
    body: fields,
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
      if (readSalesforceCode(response) === CONVERTED) return null;
      throw makeCallError(response);
    default:
      throw makeCallError(response);
  }
}

/** Upserts the lead without those values that Salesforce refuses and that it can do without; see `upsertLead`. */
async function upsertRecord(
  call: CallSalesforce,
  key: LeadKey,
  record: CrmRecord,
  signal: AbortSignal,
): Promise<string | null> {
  let omitted: readonly string[] = [];
  for (;;) {
    try {
      return await upsertLead(call, key, mapFields(record, listLeadFields(omitted)), signal);
    } catch (error) {
      if (error instanceof SalesforceError && error.errorCode === DUPLICATE) {
        const found = await findLead(call, key, signal);
        if (found !== undefined) return found;
      }
      const refused = error instanceof SalesforceError ? dispensable[error.errorCode ?? ''] : undefined;
      if (refused === undefined || refused.every((field) => omitted.includes(field))) throw error;
      omitted = [...omitted, ...refused];
    }
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
      const key = { field: settings.externalIdField, value: record.submission_id };
      const found = attempt > 1 ? await findLead(call, key, signal) : undefined;
      if (found !== undefined) return found;

      return upsertRecord(call, key, record, signal);
    },
    test: (signal) => {
      const fields = listLeadFields([]).map(({ to }) => to);
      const written = { fields, alwaysFilled, choices, keyField: settings.externalIdField };

      return testSalesforce(call, written, signal);
    },
  };
}
