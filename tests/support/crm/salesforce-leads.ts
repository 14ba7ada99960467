import * as v from 'valibot';
import { respondJson, Refusal, type CrmResponse, type LoggedRequest } from './fake-crm.ts';
import { readJson } from './crm-rules.ts';

export type LeadValues = Record<string, string | null>;

export interface SalesforceLead {
  readonly id: string;
  readonly values: LeadValues;
  converted: boolean;
}

/** `alert` lets a call pass that allows saving; `block` lets none. Both compare the e-mail only. */
export type DuplicateRule = 'off' | 'alert' | 'block';

export interface LeadDesk {
  readonly leads: SalesforceLead[];
  /** Longest value of each field, in characters. */
  readonly lengths: ReadonlyMap<string, number>;
  readonly externalIdField: string;
  readonly externalIdUnique: boolean;
  duplicateRule: DuplicateRule;
}

export const standardLengths = {
  Salutation: 40,
  FirstName: 40,
  LastName: 80,
  Company: 255,
  Title: 128,
  Phone: 40,
  MobilePhone: 40,
  Email: 80,
  Website: 255,
  Industry: 255,
  LeadSource: 255,
  Status: 255,
  Street: 255,
  City: 40,
  State: 80,
  PostalCode: 20,
  Country: 80,
  Description: 32_000,
};
export const requiredFields = ['LastName', 'Company'];
export const EXTERNAL_ID_LENGTH = 36;

const leadBody = v.record(v.string(), v.nullable(v.string()));
/** No dot at either end of the name, a domain in ASCII. */
const mailPattern = /^[^\s@.]+(?:\.[^\s@.]+)*@[\w-]+(?:\.[\w-]+)+$/;

/** Salesforce's errors come as an array. */
export function respondError(
  status: number,
  errorCode: string,
  message: string,
  fields: readonly string[] = [],
): CrmResponse {
  return respondJson(status, [{ message, errorCode, fields }]);
}

export function refuse(...error: Parameters<typeof respondError>): never {
  throw new Refusal(respondError(...error));
}

function checkValue({ lengths }: LeadDesk, name: string, value: string | null): void {
  const length = lengths.get(name);
  if (length === undefined) {
    refuse(400, 'INVALID_FIELD', `No such column '${name}' on sobject of type Lead`);
  }
  if (value !== null && value.length > length) {
    const message = `${name}: data value too large: ${value} (max length=${length})`;
    refuse(400, 'STRING_TOO_LONG', message, [name]);
  }
  if (name === 'Email' && value !== null && value !== '' && !mailPattern.test(value)) {
    refuse(400, 'INVALID_EMAIL_ADDRESS', `Email: invalid email address: ${value}`, [name]);
  }
}

/** Reads the fields of a lead and refuses what no lead may have. */
export function readLead(desk: LeadDesk, request: LoggedRequest): LeadValues {
  const values = readJson(request, leadBody, (reason) =>
    respondError(400, 'JSON_PARSER_ERROR', reason),
  );
  for (const [name, value] of Object.entries(values)) checkValue(desk, name, value);

  return values;
}

function checkRequired(values: LeadValues): void {
  const missing = requiredFields.filter((name) => (values[name] ?? '') === '');
  if (missing.length === 0) return;
  const message = `Required fields are missing: [${missing.join(', ')}]`;
  refuse(400, 'REQUIRED_FIELD_MISSING', message, missing);
}

function checkDuplicates(desk: LeadDesk, values: LeadValues, { headers }: LoggedRequest): void {
  const mail = values['Email']?.toLowerCase();
  const taken = desk.leads.some((lead) => lead.values['Email']?.toLowerCase() === mail);
  const waved = /allowSave\s*=\s*true/i.test(headers['sforce-duplicate-rule-header'] ?? '');
  if (desk.duplicateRule === 'off' || mail === undefined || !taken) return;
  if (desk.duplicateRule === 'alert' && waved) return;
  refuse(400, 'DUPLICATES_DETECTED', 'Use one of these records?');
}

/** Leads whose field has this value. */
export function findLeads({ leads }: LeadDesk, field: string, value: string): SalesforceLead[] {
  return leads.filter((lead) => (field === 'Id' ? lead.id : lead.values[field]) === value);
}

function checkUnique(desk: LeadDesk, values: LeadValues): void {
  const key = values[desk.externalIdField];
  if (!desk.externalIdUnique || key === undefined || key === null) return;
  const [taken] = findLeads(desk, desk.externalIdField, key);
  if (taken === undefined) return;
  const where = `duplicates value on record with id: ${taken.id}`;
  refuse(400, 'DUPLICATE_VALUE', `duplicate value found: ${desk.externalIdField} ${where}`);
}

/** Adds a lead that no rule refuses. */
export function addLead(desk: LeadDesk, values: LeadValues, request: LoggedRequest): SalesforceLead {
  checkRequired(values);
  checkUnique(desk, values);
  checkDuplicates(desk, values, request);
  const id = `00Q${String(desk.leads.length + 1).padStart(15, '0')}`;
  const lead = { id, values: { Status: 'Open - Not Contacted', ...values }, converted: false };
  desk.leads.push(lead);

  return lead;
}

/** Changes a lead that has not become a contact yet. */
export function changeLead(lead: SalesforceLead, values: LeadValues): void {
  if (lead.converted) {
    refuse(400, 'CANNOT_UPDATE_CONVERTED_LEAD', 'cannot reference converted lead');
  }
  checkRequired({ ...lead.values, ...values });
  Object.assign(lead.values, values);
}
