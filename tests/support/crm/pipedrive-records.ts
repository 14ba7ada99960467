import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { respondJson, Refusal, type CrmResponse } from './fake-crm.ts';
import { readJson, type RoutedRequest } from './crm-rules.ts';

const NAME_LENGTH = 255;
const name = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(NAME_LENGTH));
const id = v.pipe(v.number(), v.integer());
const channel = v.array(
  v.strictObject({ value: v.string(), primary: v.boolean(), label: v.string() }),
);
const customFields = v.record(v.string(), v.unknown());

const personFields = {
  emails: v.optional(channel),
  phones: v.optional(channel),
  org_id: v.optional(id),
  owner_id: v.optional(id),
  job_title: v.optional(v.pipe(v.string(), v.maxLength(NAME_LENGTH))),
  marketing_status: v.optional(
    v.picklist(['no_consent', 'unsubscribed', 'subscribed', 'archived']),
  ),
  custom_fields: v.optional(customFields),
};
const personBody = v.strictObject({ name, ...personFields });
const personChange = v.strictObject({ name: v.optional(name), ...personFields });
const organizationBody = v.strictObject({ name, owner_id: v.optional(id) });

const leadFields = {
  title: name,
  person_id: v.optional(id),
  organization_id: v.optional(id),
  owner_id: v.optional(id),
  label_ids: v.optional(v.array(v.pipe(v.string(), v.uuid()))),
  value: v.optional(v.strictObject({ amount: v.number(), currency: v.string() })),
  expected_close_date: v.optional(v.pipe(v.string(), v.isoDate())),
  visible_to: v.optional(v.picklist(['1', '3', '5', '7'])),
  was_seen: v.optional(v.boolean()),
  origin_id: v.optional(v.pipe(v.string(), v.maxLength(NAME_LENGTH))),
  channel: v.optional(id),
  channel_id: v.optional(v.pipe(v.string(), v.maxLength(NAME_LENGTH))),
};
const noteBody = v.strictObject({
  content: v.pipe(v.string(), v.minLength(1)),
  lead_id: v.optional(v.pipe(v.string(), v.uuid())),
  person_id: v.optional(id),
});

export type PipedrivePerson = v.InferOutput<typeof personBody> & { readonly id: number };
export type PipedriveOrganization = v.InferOutput<typeof organizationBody> & { readonly id: number };
export interface PipedriveLead {
  readonly id: string;
  readonly title: string;
  readonly person_id: number | null;
  readonly organization_id: number | null;
  readonly origin_id: string | null;
  /** Further fields of the lead's creation, custom ones too. */
  readonly values: Readonly<Record<string, unknown>>;
  isArchived: boolean;
}
export type PipedriveNote = v.InferOutput<typeof noteBody> & { readonly id: number };

export interface PipedriveAccount {
  readonly persons: PipedrivePerson[];
  readonly organizations: PipedriveOrganization[];
  readonly leads: PipedriveLead[];
  readonly notes: PipedriveNote[];
  /** Keys of 40 hexadecimal digits; leads have the deals' ones. */
  readonly personFields: readonly string[];
  readonly leadFields: readonly string[];
  /** Most leads the plan allows. */
  readonly leadCap: number;
}

/** Pipedrive's error form; most errors have no code. */
export function respondError(status: number, error: string, code?: string): CrmResponse {
  const error_info = 'Please check developers.pipedrive.com for more information.';

  return respondJson(status, {
    success: false,
    error,
    error_info,
    ...(code === undefined ? {} : { code }),
    data: null,
    additional_data: null,
  });
}

export function refuse(...error: Parameters<typeof respondError>): never {
  throw new Refusal(respondError(...error));
}

export function respondData(status: number, data: unknown): CrmResponse {
  return respondJson(status, { success: true, data, additional_data: null });
}

function respondBadBody(reason: string, field: string): CrmResponse {
  return respondError(400, `Validation failed: ${field}: ${reason}`);
}

function checkCustomFields(known: readonly string[], values: object = {}): void {
  const alien = Object.keys(values).find((key) => !known.includes(key));
  if (alien !== undefined) refuse(400, `Validation failed: custom_fields.${alien}: unknown field`);
}

/** The record with this id, if one was given. */
function requireRecord(records: readonly { id: number }[], kind: string, given?: number): void {
  if (given === undefined || records.some((record) => record.id === given)) return;
  refuse(404, `${kind} not found.`);
}

export function createPerson(account: PipedriveAccount, request: RoutedRequest): CrmResponse {
  const body = readJson(request, personBody, respondBadBody);
  checkCustomFields(account.personFields, body.custom_fields);
  requireRecord(account.organizations, 'Organization', body.org_id);
  const person = { id: (account.persons.at(-1)?.id ?? 0) + 1, ...body };
  account.persons.push(person);

  return respondData(200, person);
}

export function updatePerson(account: PipedriveAccount, request: RoutedRequest): CrmResponse {
  const body = readJson(request, personChange, respondBadBody);
  checkCustomFields(account.personFields, body.custom_fields);
  const person = account.persons.find((one) => String(one.id) === request.parts['id']);

  return person === undefined
    ? refuse(404, 'Person not found.')
    : respondData(200, Object.assign(person, body));
}

/** Fields without a value are present: an empty list, or null. */
export function showPerson(person: PipedrivePerson): object {
  return { emails: [], phones: [], org_id: null, ...person };
}

export function createOrganization(account: PipedriveAccount, request: RoutedRequest): CrmResponse {
  const body = readJson(request, organizationBody, respondBadBody);
  const organization = { id: account.organizations.length + 1, ...body };
  account.organizations.push(organization);

  return respondData(200, organization);
}

/** Adds a lead with every call: an `origin_id` that was there before changes nothing about it. */
export function createLead(account: PipedriveAccount, request: RoutedRequest): CrmResponse {
  const custom = account.leadFields.map((key) => [key, v.optional(v.unknown())] as const);
  const leadBody = v.strictObject({ ...leadFields, ...Object.fromEntries(custom) });
  const body = readJson(request, leadBody, respondBadBody);
  const { title, person_id, organization_id, origin_id, ...values } = body;
  if (person_id === undefined && organization_id === undefined) {
    refuse(400, 'A lead must be linked to a person or an organization.');
  }
  requireRecord(account.persons, 'Person', person_id);
  requireRecord(account.organizations, 'Organization', organization_id);
  if (account.leads.length >= account.leadCap) {
    refuse(403, 'The limit of your plan is reached.', 'feature_capping_deals_limit');
  }
  const lead: PipedriveLead = {
    id: randomUUID(),
    title,
    person_id: person_id ?? null,
    organization_id: organization_id ?? null,
    origin_id: origin_id ?? null,
    values,
    isArchived: false,
  };
  account.leads.push(lead);

  return respondData(201, showLead(lead));
}

export function showLead({ values, isArchived, ...lead }: PipedriveLead): object {
  return { ...lead, ...values, is_archived: isArchived };
}

export function createNote(account: PipedriveAccount, request: RoutedRequest): CrmResponse {
  const body = readJson(request, noteBody, respondBadBody);
  if (body.lead_id === undefined && body.person_id === undefined) {
    refuse(400, 'A note must be linked to a lead, deal, person or organization.');
  }
  requireRecord(account.persons, 'Person', body.person_id);
  if (body.lead_id !== undefined && !account.leads.some((lead) => lead.id === body.lead_id)) {
    refuse(404, 'Lead not found.');
  }
  const note = { id: account.notes.length + 1, ...body };
  account.notes.push(note);

  return respondData(201, note);
}
