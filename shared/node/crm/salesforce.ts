import * as v from 'valibot';
import { Hour, Second } from '../../time.ts';
import type { CrmSettingsOf } from '../config/settings.ts';
import type { OutboundClient, OutboundResponse } from '../outbound/outbound-client.ts';
import {
  createConnector,
  CrmError,
  hasStatus,
  type CrmConnection,
  type Refusal,
  errorCode,
  parseResponse,
  readResponse,
} from './crm-api.ts';
import type { CrmRecord } from './crm-provider.ts';
import { createVendorProvider, type CrmStep, type StepRecord, type Values } from './export-lead.ts';
import { mapFields, renderLeadText, splitName, toAsciiAddress, type MappedField } from './lead-fields.ts';
import { explainFailure, listChecks, LOGIN } from './salesforce-checks.ts';

/** API version. Salesforce supports each version for at least three years. */
const VERSION = 'v68.0';
const MAX_EMAIL = 80;

/** Returns the address in the form that Salesforce accepts; null if it is too long, since it can't be truncated. */
function toFieldAddress(email: string): string | null {
  const address = toAsciiAddress(email);

  return address.length > MAX_EMAIL ? null : address;
}

/** Standard lead fields and their lengths, from Salesforce's object reference. */
const leadFields: readonly MappedField[] = [
  { to: 'FirstName', from: ({ name }) => splitName(name).first, max: 40 },
  { to: 'LastName', from: ({ name }) => splitName(name).last, max: 80 },
  { to: 'Company', from: ({ company }) => company },
  { to: 'Email', from: ({ email }) => toFieldAddress(email) },
  { to: 'Phone', from: ({ phone }) => phone },
  { to: 'Industry', from: ({ industry_label: label }) => label },
  { to: 'LeadSource', from: () => 'Web' },
  { to: 'Description', from: (record) => renderLeadText(record) },
];

const problemsSchema = v.array(
  v.object({
    errorCode,
    /** Whether the message is about the concurrency limit. The rest may contain the lead's data. */
    message: v.fallback(v.pipe(v.string(), v.transform((text) => text.startsWith('Concurrent'))), false),
  }),
);

/** How long to wait, in milliseconds. The 24-hour limit and the concurrency limit have the same error code. */
const LIMIT_WAIT = 1 * Hour;
const CONCURRENCY_WAIT = 30 * Second;

/** Codes that are handled differently from what their status implies. */
const refusals: Readonly<Record<string, Refusal>> = {
  // The app's user isn't allowed to read or write a field.
  INVALID_FIELD: { result: 'paused' },
  INVALID_FIELD_FOR_INSERT_UPDATE: { result: 'paused' },
  // A record related to the lead is being changed.
  UNABLE_TO_LOCK_ROW: { result: 'retry' },
  // Another lead has the same value in a unique field, such as the external id.
  DUPLICATE_VALUE: { isDuplicate: true },
  // The lead is created without these values. Its description contains them as typed.
  INVALID_EMAIL_ADDRESS: { refusedFields: ['Email'] },
  INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST: { refusedFields: ['Industry', 'LeadSource'] },
  // Status 403, but temporary.
  REQUEST_LIMIT_EXCEEDED: { result: 'retry', waitsMs: LIMIT_WAIT },
};

function readRefusal(response: OutboundResponse): Refusal {
  if (response.status === 300) return { code: 'several-leads-have-this-id' };
  const problem = parseResponse(response, problemsSchema)?.[0];
  const code = problem?.errorCode;

  return { ...refusals[code ?? ''], code, ...(problem?.message && { waitsMs: CONCURRENCY_WAIT }) };
}

const sessionSchema = v.object({
  access_token: v.pipe(v.string(), v.nonEmpty()),
  instance_url: v.pipe(v.string(), v.url(), v.transform((url) => new URL(url).origin)),
});
type Session = v.InferOutput<typeof sessionSchema>;

async function logIn(settings: CrmSettingsOf<'salesforce'>, client: OutboundClient, signal: AbortSignal): Promise<Session> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: settings.clientId,
    client_secret: settings.clientSecret,
  });
  const response = await client.call({
    method: 'POST',
    url: `${settings.loginUrl}/services/oauth2/token`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
    signal,
  });
  if (response.status === 200) return readResponse(LOGIN, response, sessionSchema);
  const code = parseResponse(response, v.object({ error: errorCode }))?.error;
  const error = new CrmError(LOGIN, response, { code });

  // A permanent refusal means that the settings are wrong.
  throw error.result === 'retry' ? error : new CrmError(LOGIN, response, { code, result: 'paused' });
}

/** Overrides duplicate rules that only warn about a similar record. Needs API version 52 or later. */
const duplicateRules = 'allowSave=true; includeRecordDetails=false; runAsCurrentUser=false';

/** Returns a function that connects for one attempt. All attempts share a session, which is renewed when it expires. */
function createSessionConnector(settings: CrmSettingsOf<'salesforce'>, client: OutboundClient) {
  let session: Session | undefined;

  return (signal: AbortSignal): Pick<CrmConnection, 'send'> => ({
    send: async (request) => {
      const sendBy = async ({ instance_url: origin, access_token: token }: Session) => {
        const baseUrl = `${origin}/services/data/${VERSION}/sobjects/Lead/`;
        const headers = { authorization: `Bearer ${token}`, 'sforce-duplicate-rule-header': duplicateRules };
        const connect = createConnector(client, { origin: 'salesforce', baseUrl, headers, readRefusal });

        return connect(signal).send(request);
      };
      session ??= await logIn(settings, client, signal);

      try {
        return await sendBy(session);
      } catch (error) {
        if (!hasStatus(error, 401) || error.refusal.code !== 'INVALID_SESSION_ID') throw error;
        session = undefined;
        session = await logIn(settings, client, signal);

        return sendBy(session);
      }
    },
  });
}

const foundSchema = v.object({ Id: v.pipe(v.string(), v.nonEmpty()) });
const upsertSchema = v.object({ id: v.pipe(v.string(), v.nonEmpty()), success: v.literal(true) });

function listSteps({ send }: Pick<CrmConnection, 'send'>, keyField: string): readonly CrmStep[] {
  const makePath = ({ submission_id: key }: CrmRecord) => `${keyField}/${encodeURIComponent(key)}`;
  const findLead = async (record: CrmRecord): Promise<StepRecord | undefined> => {
    try {
      const response = await send({ path: `${makePath(record)}?fields=Id` });

      return { id: readResponse('salesforce', response, foundSchema).Id, isCreatedByExport: true };
    } catch (error) {
      if (hasStatus(error, 404)) return undefined;

      throw error;
    }
  };
  const upsertLead = async (record: CrmRecord, values: Values): Promise<string | null> => {
    try {
      const response = await send({ path: makePath(record), method: 'PATCH', body: values });

      // The export succeeded even if the response lacks the id.
      return response.status === 204 || response.isTruncated ? null : readResponse('salesforce', response, upsertSchema).id;
    } catch (error) {
      // Sales has already converted this lead to a contact.
      if (error instanceof CrmError && error.refusal.code === 'CANNOT_UPDATE_CONVERTED_LEAD') return null;

      throw error;
    }
  };

  return [
    {
      name: 'lead',
      alwaysCreates: true,
      values: ({ record }) => mapFields(record, leadFields),
      find: ({ record }) => findLead(record),
      create: ({ record }, values) => upsertLead(record, values),
    },
  ];
}

/** Creates a lead with the submission's id as external id. A retry changes nothing: sales may have edited the lead. */
export const createSalesforceProvider = (settings: CrmSettingsOf<'salesforce'>, client: OutboundClient) =>
  createVendorProvider({
    connect: createSessionConnector(settings, client),
    steps: (connection) => listSteps(connection, settings.externalIdField),
    lead: 'lead',
    checks: (connection) => listChecks(connection, leadFields.map(({ to }) => to), settings.externalIdField),
    explainFailure,
  });
