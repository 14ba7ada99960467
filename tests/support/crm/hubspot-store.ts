import type { PropertyFault } from './hubspot-responses.ts';

export interface HubspotRecord {
  readonly id: string;
  readonly properties: Record<string, string>;
  readonly createdAt: string;
  updatedAt: string;
}

export interface HubspotNote extends HubspotRecord {
  readonly contactId: string;
}

/** A text property's longest value, in characters; a note's body has the same limit. */
const LONGEST_VALUE = 65_536;
const mailPattern = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** No top-level domain; HubSpot knows them all. */
const noDomain = /\.con$/i;

/** Internal names, from the first stage on. */
const lifecycleStages = [
  'subscriber',
  'lead',
  'marketingqualifiedlead',
  'salesqualifiedlead',
  'opportunity',
  'customer',
  'evangelist',
  'other',
];

/** What every account has; custom ones come from the options. */
export const standardProperties = [
  'email',
  'firstname',
  'lastname',
  'phone',
  'mobilephone',
  'company',
  'jobtitle',
  'website',
  'message',
  'lifecyclestage',
  'hs_lead_status',
  'hs_language',
  'industry',
  'address',
  'city',
  'state',
  'zip',
  'country',
];

export const noteProperties = ['hs_timestamp', 'hs_note_body', 'hubspot_owner_id'];

function findFault(
  known: readonly string[],
  name: string,
  value: string,
): PropertyFault | undefined {
  const fault = (code: string, message: string): PropertyFault => ({ name, code, message });
  if (!known.includes(name)) {
    return fault('PROPERTY_DOESNT_EXIST', `Property "${name}" does not exist`);
  }
  if (value.length > LONGEST_VALUE) {
    return fault('INVALID_LENGTH', `Property "${name}" exceeds ${LONGEST_VALUE} characters`);
  }
  if (name === 'email' && value !== '' && (!mailPattern.test(value) || noDomain.test(value))) {
    return fault('INVALID_EMAIL', `Email address ${value} is invalid`);
  }
  if (name === 'lifecyclestage' && value !== '' && !lifecycleStages.includes(value)) {
    return fault('INVALID_OPTION', `${value} was not one of the allowed options`);
  }

  return undefined;
}

/** Everything wrong with these values. */
export function checkProperties(
  known: readonly string[],
  properties: Readonly<Record<string, string>>,
): PropertyFault[] {
  return Object.entries(properties).flatMap(
    ([name, value]) => findFault(known, name, value) ?? [],
  );
}

function movesBackwards(from: string | undefined, to: string): boolean {
  return from !== undefined && lifecycleStages.indexOf(to) < lifecycleStages.indexOf(from);
}

/** Writes values into a record: an empty one clears, and the lifecycle never goes back. */
export function applyProperties(
  record: HubspotRecord,
  properties: Readonly<Record<string, string>>,
): void {
  for (const [name, value] of Object.entries(properties)) {
    if (value === '') delete record.properties[name];
    else if (name === 'email') record.properties[name] = value.toLowerCase();
    else if (name !== 'lifecyclestage') record.properties[name] = value;
    else if (!movesBackwards(record.properties[name], value)) record.properties[name] = value;
  }
  record.updatedAt = new Date().toISOString();
}

let lastId = 100;

/** A record without values, under an id nobody has. */
export function makeRecord(): HubspotRecord {
  lastId += 1;
  const now = new Date().toISOString();

  return { id: String(lastId), properties: {}, createdAt: now, updatedAt: now };
}
