import * as v from 'valibot';
import { MAX_LISTING_BYTES } from '../../outbound/outbound-client.ts';
import { readResponse } from '../read-response.ts';
import type { CallSalesforce } from './salesforce-api.ts';
import { makeCallError, readSalesforceCode } from './salesforce-error.ts';

const upsertSchema = v.object({ id: v.pipe(v.string(), v.nonEmpty()), success: v.literal(true) });

const fieldSchema = v.object({
  name: v.string(),
  length: v.number(),
  createable: v.boolean(),
  updateable: v.boolean(),
  externalId: v.boolean(),
  unique: v.boolean(),
  restrictedPicklist: v.optional(v.boolean(), false),
  picklistValues: v.optional(v.array(v.object({ value: v.string(), active: v.boolean() })), []),
});
const describeSchema = v.object({
  createable: v.boolean(),
  updateable: v.boolean(),
  fields: v.array(fieldSchema),
});

/** What the user the app runs as may do with leads and their fields. */
export type LeadDescription = v.InferOutput<typeof describeSchema>;
export type LeadField = LeadDescription['fields'][number];

/** Lets rules pass that only warn of a similar record. Needs version 52 or later. */
const duplicateRules = {
  'sforce-duplicate-rule-header':
    'allowSave=true; includeRecordDetails=false; runAsCurrentUser=false',
};

/** Refusals after which sales has the lead: as a similar record, or already as a contact. */
const KNOWN_LEAD_CODES = new Set(['DUPLICATES_DETECTED', 'CANNOT_UPDATE_CONVERTED_LEAD']);

export interface NewLead {
  readonly keyField: string;
  readonly key: string;
  /** All but the key field. */
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * Makes the lead of this key or updates it, any number of times. Resolves to its id; to null when
 * Salesforce doesn't tell it or had the lead otherwise.
 * @throws DeliveryError
 */
export async function upsertLead(
  call: CallSalesforce,
  { keyField, key, fields }: NewLead,
  signal: AbortSignal,
): Promise<string | null> {
  const answer = await call({
    method: 'PATCH',
    path: `/sobjects/Lead/${keyField}/${encodeURIComponent(key)}`,
    headers: duplicateRules,
    body: fields,
    signal,
  });
  switch (answer.status) {
    case 200:
    case 201:
      // The lead is there; nothing needs its id.
      if (answer.isTruncated) return null;

      return readResponse('salesforce', answer, upsertSchema).id;
    case 204:
      return null;
    case 400:
      if (KNOWN_LEAD_CODES.has(readSalesforceCode(answer) ?? '')) return null;
      throw makeCallError(answer);
    default:
      throw makeCallError(answer);
  }
}

/** @throws DeliveryError */
export async function describeLead(
  call: CallSalesforce,
  signal: AbortSignal,
): Promise<LeadDescription> {
  const answer = await call({
    method: 'GET',
    path: '/sobjects/Lead/describe',
    maxAnswerBytes: MAX_LISTING_BYTES,
    signal,
  });
  if (answer.status !== 200) throw makeCallError(answer);

  return readResponse('salesforce', answer, describeSchema);
}
