import { randomBytes } from 'node:crypto';
import { respondJson, Refusal, type CrmResponse } from './fake-crm.ts';
import { readMediaType, type RoutedRequest } from './crm-rules.ts';
import {
  checkValues,
  listInitialValues,
  refuse,
  respondError,
  takeValues,
  type EspocrmLead,
  type EspocrmValues,
  type FieldCheck,
} from './espocrm-fields.ts';
import { readSearch } from './espocrm-search.ts';

/** What the role of the API user allows with leads; its own ones are those it created. */
export interface EspocrmRights {
  readonly create: 'yes' | 'no';
  readonly read: 'all' | 'own' | 'no';
  readonly edit: 'all' | 'own' | 'no';
}

export interface LeadDesk {
  readonly leads: EspocrmLead[];
  readonly check: FieldCheck;
  readonly rights: EspocrmRights;
  /** Fields of which the role lets nobody read any. */
  readonly hidden: readonly string[];
  readonly majorVersion: number;
  /** Of the API user. */
  readonly userId: string;
}

/** Most records a refusal of a duplicate shows. */
const MOST_DUPLICATES = 5;
const jsonType = { 'content-type': 'application/json' };

/** A record's id: 17 hexadecimal digits. */
export function makeId(): string {
  return randomBytes(9).toString('hex').slice(1);
}

/** The time as EspoCRM writes it, in UTC. */
export function showTime(): string {
  return new Date().toISOString().slice(0, 19).replace('T', ' ');
}

export function respondValue(value: unknown): CrmResponse {
  return respondJson(200, value, jsonType);
}

/**
 * Reads a body as an object; one of another content type counts as empty.
 * @throws Refusal 500 for no JSON, 400 for no object
 */
export function readBody(request: RoutedRequest): EspocrmValues {
  if (readMediaType(request) !== 'application/json' || request.body === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(request.body);
  } catch {
    refuse(500);
  }
  if (Array.isArray(value)) return { list: value };
  if (typeof value !== 'object' || value === null) refuse(400, 'Body is not a JSON object.');

  return value as EspocrmValues;
}

function mayAccess(desk: LeadDesk, level: 'all' | 'own' | 'no', lead: EspocrmLead): boolean {
  return level === 'all' || (level === 'own' && lead['createdById'] === desk.userId);
}

function show(desk: LeadDesk, lead: EspocrmLead): EspocrmValues {
  const seen = Object.entries(lead).filter(([name]) => !desk.hidden.includes(name));

  return Object.fromEntries(seen);
}

function makeName(values: EspocrmValues): string | null {
  const parts = [values['firstName'], values['lastName']].filter((part) => typeof part === 'string');

  return parts.length === 0 ? null : parts.join(' ');
}

/** Adds a lead of the given values, which nothing checks, by the given user. */
export function addLead(desk: LeadDesk, values: EspocrmValues, userId: string): EspocrmLead {
  const { rules } = desk.check;
  const empty = Object.fromEntries(Object.keys(rules).map((name) => [name, null]));
  const now = showTime();
  const all = { ...empty, ...listInitialValues(rules), ...values };
  const lead: EspocrmLead = {
    id: makeId(),
    name: makeName(all),
    deleted: false,
    ...all,
    createdAt: now,
    modifiedAt: now,
    createdById: userId,
    assignedUserId: null,
  };
  desk.leads.push(lead);

  return lead;
}

/** Compares texts whatever their case. */
function isSame(one: unknown, other: unknown): boolean {
  const [left, right] = [one, other].map((value) =>
    typeof value === 'string' ? value.toLowerCase() : undefined,
  );

  return left === right;
}

/** Leads of the same whole name or the same e-mail, among those the role may read. */
function findDuplicates(desk: LeadDesk, values: EspocrmValues): EspocrmLead[] {
  const hasName = makeName(values) !== null;
  const hasMail = typeof values['emailAddress'] === 'string';

  return desk.leads
    .filter((lead) => mayAccess(desk, desk.rights.read, lead))
    .filter((lead) => {
      const isNamesake = ['firstName', 'lastName'].every((name) => isSame(lead[name], values[name]));

      return (hasName && isNamesake) || (hasMail && isSame(lead['emailAddress'], values['emailAddress']));
    })
    .slice(0, MOST_DUPLICATES);
}

/** Adds a lead, or none if its duplicates stand in the way and the request doesn't skip that check. */
export function createLead(desk: LeadDesk, request: RoutedRequest): CrmResponse {
  if (desk.rights.create === 'no') refuse(403, 'No create access.');
  const values = { ...listInitialValues(desk.check.rules), ...takeValues(desk.check, readBody(request)) };
  checkValues(desk.check, values, true);
  const isSkipped = request.headers['x-skip-duplicate-check']?.toLowerCase() === 'true';
  const duplicates = isSkipped ? [] : findDuplicates(desk, values);
  if (duplicates.length > 0) {
    const body = JSON.stringify(duplicates.map((lead) => show(desk, lead)));
    throw new Refusal({ ...respondError(409, 'duplicate'), body });
  }

  return respondValue(show(desk, addLead(desk, values, desk.userId)));
}

function requireLead(desk: LeadDesk, id = ''): EspocrmLead {
  return desk.leads.find((lead) => lead.id === id) ?? refuse(404, `Record ${id} not found.`);
}

export function readLead(desk: LeadDesk, { parts }: RoutedRequest): CrmResponse {
  if (desk.rights.read === 'no') refuse(403, 'No read access.');
  const lead = requireLead(desk, parts['id']);
  if (!mayAccess(desk, desk.rights.read, lead)) refuse(403, 'No read access.');

  return respondValue(show(desk, lead));
}

/** Sets what is sent and keeps the rest; duplicates don't matter. */
export function updateLead(desk: LeadDesk, request: RoutedRequest): CrmResponse {
  if (desk.rights.edit === 'no') refuse(403, 'No edit access.');
  const values = takeValues(desk.check, readBody(request));
  const lead = requireLead(desk, request.parts['id']);
  if (!mayAccess(desk, desk.rights.edit, lead)) refuse(403, 'No edit access.');
  checkValues(desk.check, values, false);
  Object.assign(lead, values, { name: makeName({ ...lead, ...values }), modifiedAt: showTime() });

  return respondValue(show(desk, lead));
}

/** What a list shows of a lead, beside what was selected. */
const alwaysSelected = ['id', 'assignedUserId', 'createdById', 'createdAt'];

/** The newest leads first. */
export function listLeads(desk: LeadDesk, { query, headers }: RoutedRequest): CrmResponse {
  if (desk.rights.read === 'no') refuse(403, 'No read access.');
  const { rules } = desk.check;
  const attributes = [...alwaysSelected, 'name', 'modifiedAt', ...Object.keys(rules)];
  const search = readSearch({ ...desk, attributes }, query);
  const found = desk.leads
    .filter((lead) => mayAccess(desk, desk.rights.read, lead) && search.fits(lead))
    .reverse();
  const end = search.offset + search.size;
  const select = search.select?.concat(alwaysSelected);
  const list = found.slice(search.offset, end).map((lead) => {
    const shown = Object.entries(show(desk, lead));

    return Object.fromEntries(shown.filter(([name]) => select?.includes(name) ?? true));
  });
  const isUncounted = headers['x-no-total'] === 'true';
  const total = isUncounted ? (found.length > end ? -1 : -2) : found.length;

  return respondValue({ total, list });
}
