import * as v from 'valibot';
import { industryOptions } from '../../contact/industry-options.ts';
import { Hour, Second } from '../../time.ts';
import type { CrmSettingsOf } from '../config/settings.ts';
import type { OutboundClient, OutboundResponse } from '../outbound/outbound-client.ts';
import {
  connectCrm,
  CrmError,
  hasStatus,
  type CrmConnection,
  type Refusal,
  errorCode,
  parseResponse,
  readResponse,
} from './crm-api.ts';
import type { CrmRecord } from './crm-provider.ts';
import { createVendorProvider, type Attempt, type CrmStep, type Known, type Values } from './export-lead.ts';
import { mapFields, NOT_GIVEN, sourceRows, splitName, toAsciiAddress, type MappedField } from './lead-fields.ts';
import { explainFailure, listChecks, LOGIN } from './salesforce-checks.ts';

/** Salesforce serves a version for three years at least. */
const VERSION = 'v68.0';
const LEAD_SOURCE = 'Web';
const MAX_EMAIL = 80;

/** The address as its field takes it, null where it is too long: an address can't be cut. */
function toFieldAddress(email: string): string | null {
  const address = toAsciiAddress(email);

  return address.length > MAX_EMAIL ? null : address;
}

/** Standard fields of a lead with their lengths. Source: Salesforce's object reference, Lead. */
const leadFields: readonly MappedField[] = [
  { to: 'FirstName', from: ({ name }) => splitName(name).first, max: 40 },
  { to: 'LastName', from: ({ name }) => splitName(name).last || NOT_GIVEN, max: 80 },
  { to: 'Company', from: ({ company }) => company.trim() || NOT_GIVEN, max: 255 },
  { to: 'Email', from: ({ email }) => toFieldAddress(email) },
  { to: 'Phone', from: ({ phone }) => phone, max: 40 },
  { to: 'Industry', from: ({ industry_label: label }) => label, max: 255 },
  { to: 'LeadSource', from: () => LEAD_SOURCE },
];

/** What is sent to picklists, which an organization may have restricted to values of its own. */
const choices: Readonly<Record<string, readonly string[]>> = {
  Industry: industryOptions.map(({ label }) => label),
  LeadSource: [LEAD_SOURCE],
};

/** What has no field of its own, or is not whole there, as rows of the description. */
const listDescriptionRows = ({ FirstName = '', LastName, Email, Industry }: Values): readonly MappedField[] => [
  { to: 'Message', from: ({ message }) => message },
  {
    to: 'Name',
    from: ({ name }) => {
      const { first, last } = splitName(name);

      return FirstName === first && LastName === last ? null : name;
    },
  },
  { to: 'E-mail', from: ({ email }) => (Email === email.toLowerCase() ? null : email) },
  { to: 'Industry', from: ({ industry_label: label }) => (Industry === undefined ? label : null) },
  ...sourceRows,
  { to: 'Received', from: ({ received_at: time }) => time },
];

const describeRecord = (record: CrmRecord, values: Values) =>
  Object.entries(mapFields(record, listDescriptionRows(values)))
    .map(([label, value]) => `${label}: ${value}`)
    .join('\n');

const descriptionField = (values: Values): MappedField => ({
  to: 'Description',
  from: (record) => describeRecord(record, values),
  max: 32_000,
});

const problemsSchema = v.array(
  v.object({
    errorCode,
    /** Of the sentence, which may repeat the lead, only whether it names the limit of simultaneous calls. */
    message: v.fallback(v.pipe(v.string(), v.transform((text) => text.startsWith('Concurrent'))), false),
  }),
);

/** The limit of calls is one of rolling 24 hours; that of simultaneous long calls has the same code. */
const LIMIT_WAIT = 1 * Hour;
const CONCURRENCY_WAIT = 30 * Second;

/** What codes mean whose status says something else. */
const refusals: Readonly<Record<string, Refusal>> = {
  // A field that the app's user doesn't see, and one that it sees and may not write.
  INVALID_FIELD: { result: 'paused' },
  INVALID_FIELD_FOR_INSERT_UPDATE: { result: 'paused' },
  // Another change of a record that belongs to the lead is under way.
  UNABLE_TO_LOCK_ROW: { result: 'retry' },
  // A unique field, maybe the external id, has this value in a lead created meanwhile.
  DUPLICATE_VALUE: { isDuplicate: true },
  // A lead is worth more than these values; its description has what the visitor gave.
  INVALID_EMAIL_ADDRESS: { refusedFields: ['Email'] },
  INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST: { refusedFields: ['Industry', 'LeadSource'] },
  // It has status 403, but nobody has to fix anything.
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

  // A refusal that isn't temporary comes from the settings, on either side.
  throw error.result === 'retry' ? error : new CrmError(LOGIN, response, { code, result: 'paused' });
}

/** Calls with a session, which is opened at the first call and reused by all others. An expired one is renewed, once a call. */
function createConnector(settings: CrmSettingsOf<'salesforce'>, client: OutboundClient) {
  let session: Session | undefined;

  return ({ signal }: Attempt): Pick<CrmConnection, 'send'> => ({
    send: async (request) => {
      const sendBy = async ({ instance_url: origin, access_token: token }: Session) => {
        const baseUrl = `${origin}/services/data/${VERSION}/sobjects/Lead/`;
        const api = { origin: 'salesforce', baseUrl, headers: { authorization: `Bearer ${token}` }, readRefusal };

        return connectCrm(client, api, signal).send(request);
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

/** Overrides duplicate rules that only warn of a similar record. Needs version 52 or later. */
const duplicateRules = {
  'sforce-duplicate-rule-header': 'allowSave=true; includeRecordDetails=false; runAsCurrentUser=false',
};

const foundSchema = v.object({ Id: v.pipe(v.string(), v.nonEmpty()) });
const upsertSchema = v.object({ id: v.pipe(v.string(), v.nonEmpty()), success: v.literal(true) });

function listSteps({ send }: Pick<CrmConnection, 'send'>, keyField: string): readonly CrmStep[] {
  const makePath = ({ submission_id: key }: CrmRecord) => `${keyField}/${encodeURIComponent(key)}`;
  const findLead = async (record: CrmRecord): Promise<Known | undefined> => {
    try {
      const response = await send({ path: `${makePath(record)}?fields=Id` });

      return { id: readResponse('salesforce', response, foundSchema).Id, isOwn: true };
    } catch (error) {
      // Also where the key field is none, which the upsert then shows.
      if (hasStatus(error, 404)) return undefined;

      throw error;
    }
  };
  const upsertLead = async (record: CrmRecord, values: Values): Promise<string | null> => {
    const body = { ...values, ...mapFields(record, [descriptionField(values)]) };

    try {
      const response = await send({ path: makePath(record), method: 'PATCH', headers: duplicateRules, body });

      // Nothing needs the id of a lead whose confirmation is cut off.
      return response.status === 204 || response.isTruncated ? null : readResponse('salesforce', response, upsertSchema).id;
    } catch (error) {
      // Sales has made a contact of the lead of this key.
      if (error instanceof CrmError && error.refusal.code === 'CANNOT_UPDATE_CONVERTED_LEAD') return null;

      throw error;
    }
  };

  return [
    {
      name: 'lead',
      isOwn: true,
      values: ({ record }) => mapFields(record, leadFields),
      find: ({ record }) => findLead(record),
      create: ({ record }, values) => upsertLead(record, values),
    },
  ];
}

/** Exports every submission as a lead with its id as external id; a repeat changes nothing, since sales may have. */
export const createSalesforceProvider = (settings: CrmSettingsOf<'salesforce'>, client: OutboundClient) =>
  createVendorProvider({
    connect: createConnector(settings, client),
    steps: (connection) => listSteps(connection, settings.externalIdField),
    lead: 'lead',
    checks: (connection) => {
      const fields = [...leadFields.map(({ to }) => to), 'Description'];

      return listChecks(connection, { fields, choices, keyField: settings.externalIdField });
    },
    explainFailure,
  });
