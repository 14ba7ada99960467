import * as v from 'valibot';
import { respondJson, type CrmResponse } from './fake-crm.ts';
import { readJson, type RoutedRequest } from './crm-rules.ts';
import { respondBadBody, describeFaults, refuse } from './hubspot-responses.ts';
import {
  applyProperties,
  checkProperties,
  makeRecord,
  type HubspotRecord,
} from './hubspot-store.ts';

/** The contacts of an account and their properties. */
export interface ContactBook {
  readonly contacts: Map<string, HubspotRecord>;
  readonly known: readonly string[];
  /** Properties whose value no two contacts share; `email` is one. */
  readonly unique: readonly string[];
}

const properties = v.record(v.string(), v.string());
const upsertInput = v.strictObject({
  id: v.string(),
  idProperty: v.string(),
  properties,
  objectWriteTraceId: v.optional(v.string()),
});
const upsertBody = v.strictObject({
  inputs: v.pipe(v.array(upsertInput), v.minLength(1), v.maxLength(100)),
});
type UpsertInput = v.InferOutput<typeof upsertInput>;
const contactBody = v.strictObject({ properties });
/** 2026-03 requires `associations` of a new contact. */
const newContactBody = v.strictObject({ properties, associations: v.array(v.unknown()) });
const eraseBody = v.strictObject({ objectId: v.string(), idProperty: v.optional(v.string()) });

/** The contact with this value; without a property `key` is the record's own id. */
function findContact(
  { contacts }: ContactBook,
  key: string,
  idProperty: string | null | undefined,
): HubspotRecord | undefined {
  if (idProperty === null || idProperty === undefined) return contacts.get(key);
  const wanted = idProperty === 'email' ? key.toLowerCase() : key;

  return [...contacts.values()].find((contact) => contact.properties[idProperty] === wanted);
}

function requireContact(book: ContactBook, { parts, query }: RoutedRequest): HubspotRecord {
  const contact = findContact(book, parts['id'] ?? '', query.get('idProperty'));

  return contact ?? refuse(404, 'OBJECT_NOT_FOUND', 'resource not found');
}

function addContact(book: ContactBook, values: Record<string, string>): HubspotRecord {
  const contact = makeRecord();
  applyProperties(contact, values);
  book.contacts.set(contact.id, contact);

  return contact;
}

/** What is wrong with an input; the key has to stand among the properties as well. */
function checkInput(book: ContactBook, { id, idProperty, properties }: UpsertInput) {
  const faults = checkProperties(book.known, properties);
  const repeated = properties[idProperty]?.toLowerCase() === id.toLowerCase();
  if (faults.length > 0 || repeated) return faults;
  const message = `Property "${idProperty}" must be set to the id of its input`;

  return [{ name: idProperty, code: 'REQUIRED_FIELD', message }];
}

function upsertOne(book: ContactBook, { id, idProperty, properties }: UpsertInput) {
  const found = findContact(book, id, idProperty);
  if (found !== undefined) applyProperties(found, properties);

  return { ...(found ?? addContact(book, properties)), new: found === undefined, archived: false };
}

/**
 * Inputs that carry an `objectWriteTraceId` fail one by one (207); where one of the inputs has none,
 * a fault fails the whole batch (400).
 */
export function upsertContacts(book: ContactBook, request: RoutedRequest): CrmResponse {
  const startedAt = new Date().toISOString();
  const { inputs } = readJson(request, upsertBody, respondBadBody);
  const alien = inputs.find(({ idProperty }) => !book.unique.includes(idProperty));
  if (alien !== undefined) {
    refuse(400, 'VALIDATION_ERROR', `Property ${alien.idProperty} is not a unique identifier`);
  }
  const checked = inputs.map((input) => ({ input, faults: checkInput(book, input) }));
  const failed = checked.filter(({ faults }) => faults.length > 0);
  const traced = inputs.every(({ objectWriteTraceId }) => objectWriteTraceId !== undefined);
  if (failed.length > 0 && !traced) {
    const { message, errors } = describeFaults(failed.flatMap(({ faults }) => faults));
    refuse(400, 'VALIDATION_ERROR', message, { errors });
  }
  const results = checked
    .filter(({ faults }) => faults.length === 0)
    .map(({ input }) => upsertOne(book, input));
  const errors = failed.map(({ input, faults }) => ({
    status: 'error',
    category: 'VALIDATION_ERROR',
    ...describeFaults(faults),
    context: { objectWriteTraceId: [input.objectWriteTraceId], ids: [input.id] },
  }));
  const times = { startedAt, completedAt: new Date().toISOString() };
  const response = { status: 'COMPLETE', results, ...times };

  return errors.length === 0
    ? respondJson(200, response)
    : respondJson(207, { ...response, numErrors: errors.length, errors });
}

function readValues(book: ContactBook, request: RoutedRequest, schema: typeof contactBody | typeof newContactBody): Record<string, string> {
  const values = readJson(request, schema, respondBadBody).properties;
  const faults = checkProperties(book.known, values);
  if (faults.length === 0) return values;
  const { message, errors } = describeFaults(faults);

  return refuse(400, 'VALIDATION_ERROR', message, { errors });
}

export function createContact(book: ContactBook, request: RoutedRequest): CrmResponse {
  const values = readValues(book, request, newContactBody);
  const taken = book.unique
    .map((name) => findContact(book, values[name] ?? '', name))
    .find((contact) => contact !== undefined);
  if (taken !== undefined) {
    refuse(409, 'CONFLICT', `Contact already exists. Existing ID: ${taken.id}`);
  }

  return respondJson(201, { ...addContact(book, values), archived: false });
}

export function updateContact(book: ContactBook, request: RoutedRequest): CrmResponse {
  const contact = requireContact(book, request);
  applyProperties(contact, readValues(book, request, contactBody));

  return respondJson(200, { ...contact, archived: false });
}

export function readContact(
  book: ContactBook,
  request: RoutedRequest,
  noteIds: (contactId: string) => string[],
): CrmResponse {
  const contact = requireContact(book, request);
  const asked = (request.query.get('associations') ?? '').split(',');
  const results = noteIds(contact.id).map((id) => ({ id, type: 'contact_to_note' }));
  const associations = asked.includes('notes') ? { associations: { notes: { results } } } : {};

  return respondJson(200, { ...contact, archived: false, ...associations });
}

export function eraseContact(book: ContactBook, request: RoutedRequest): CrmResponse {
  const { objectId, idProperty } = readJson(request, eraseBody, respondBadBody);
  const contact = findContact(book, objectId, idProperty);
  if (contact !== undefined) book.contacts.delete(contact.id);

  return { status: 204 };
}
