import * as v from 'valibot';
import { respondJson, type CrmResponse } from './fake-crm.ts';
import { readJson, type RoutedRequest } from './crm-rules.ts';
import { respondBadBody, describeFaults, refuse } from './hubspot-responses.ts';
import type { ContactBook } from './hubspot-contacts.ts';
import {
  applyProperties,
  checkProperties,
  makeRecord,
  noteProperties,
  type HubspotNote,
} from './hubspot-store.ts';

/** HubSpot's number for 'this note belongs to that contact'. */
const NOTE_TO_CONTACT = 202;

const association = v.strictObject({
  to: v.strictObject({ id: v.union([v.string(), v.number()]) }),
  types: v.pipe(
    v.array(
      v.strictObject({
        associationCategory: v.literal('HUBSPOT_DEFINED'),
        associationTypeId: v.literal(NOTE_TO_CONTACT),
      }),
    ),
    v.minLength(1),
  ),
});
const noteBody = v.strictObject({
  properties: v.record(v.string(), v.union([v.string(), v.number()])),
  associations: v.pipe(v.array(association), v.length(1)),
});

/** Milliseconds since 1970 or an ISO time. */
function isTime(value: string): boolean {
  const isIso = /^\d{4}-\d{2}-\d{2}T/.test(value) && !isNaN(Date.parse(value));

  return isIso || /^\d{12,14}$/.test(value);
}

function checkNote(values: Readonly<Record<string, string>>) {
  const faults = checkProperties(noteProperties, values);
  const time = values['hs_timestamp'];
  const fault = (code: string, message: string) => ({ name: 'hs_timestamp', code, message });
  if (time === undefined) faults.push(fault('REQUIRED_FIELD', 'hs_timestamp is required'));
  else if (!isTime(time)) faults.push(fault('INVALID_DATE', `${time} is not a time`));

  return faults;
}

/** Adds a note with every call: HubSpot knows no key that would make this idempotent. */
export function createNote(
  book: ContactBook,
  notes: HubspotNote[],
  request: RoutedRequest,
): CrmResponse {
  const { properties, associations } = readJson(request, noteBody, respondBadBody);
  const values = Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, String(value)]),
  );
  const faults = checkNote(values);
  if (faults.length > 0) {
    const { message, errors } = describeFaults(faults);
    refuse(400, 'VALIDATION_ERROR', message, { errors });
  }
  const contactId = String(associations[0]?.to.id);
  if (!book.contacts.has(contactId)) {
    refuse(404, 'OBJECT_NOT_FOUND', `CONTACT=${contactId} is not valid`);
  }
  const note = { ...makeRecord(), contactId };
  applyProperties(note, values);
  notes.push(note);

  return respondJson(201, showNote(note));
}

/** A note as the API gives it: what it belongs to is requested separately. */
export function showNote({ contactId: _contactId, ...record }: HubspotNote) {
  return { ...record, archived: false };
}
