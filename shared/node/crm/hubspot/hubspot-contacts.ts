import * as v from 'valibot';
import { MAX_LISTING_BYTES } from '../../outbound/outbound-client.ts';
import type { CallHubspot } from './hubspot-api.ts';
import { HubspotError, hubspotFaultSchema, makeBatchError } from './hubspot-error.ts';
import { hubspotContactFields } from './hubspot-fields.ts';
import { readResponse } from '../read-response.ts';

type Properties = Readonly<Record<string, string>>;

const id = v.pipe(v.string(), v.digits());
const contactSchema = v.object({
  id,
  properties: v.record(v.string(), v.nullish(v.string())),
});
type Contact = v.InferOutput<typeof contactSchema>;

const foundSchema = v.object({
  results: v.optional(v.array(contactSchema), []),
  errors: v.optional(v.array(hubspotFaultSchema), []),
});
const createdSchema = v.object({ id });
const propertiesSchema = v.object({ results: v.array(v.object({ name: v.string() })) });

/**
 * Reads a contact by its id, or by the value of a property no two contacts share. By POST, because
 * an address in a URL ends up in logs. Not by search, which knows a new contact only seconds later.
 */
async function readContact(
  call: CallHubspot,
  key: { readonly id: string; readonly idProperty?: 'email' },
): Promise<Contact | undefined> {
  const { id: value, ...property } = key;
  const properties = hubspotContactFields.map(({ to }) => to);
  const answer = await call({
    method: 'POST',
    path: '/crm/v3/objects/contacts/batch/read',
    body: { ...property, inputs: [{ id: value }], properties },
  });
  const { results, errors } = readResponse('hubspot', answer, foundSchema);
  // 207: the batch was taken and its one input wasn't, as when there is no such contact.
  const error = errors.find(({ category }) => category !== 'OBJECT_NOT_FOUND');
  if (!results[0] && error) throw makeBatchError(answer, error);

  return results[0];
}

async function createContact(call: CallHubspot, properties: Properties): Promise<string> {
  const path = '/crm/v3/objects/contacts';
  const answer = await call({ method: 'POST', path, body: { properties } });

  return readResponse('hubspot', answer, createdSchema).id;
}

/** Writes those properties the contact has no value of; what is there stays as it is. */
async function fillEmptyProperties(
  call: CallHubspot,
  contact: Contact,
  properties: Properties,
): Promise<string> {
  const empty = Object.entries(properties).filter(([name]) => !contact.properties[name]?.trim());
  if (empty.length > 0) {
    await call({
      method: 'PATCH',
      path: `/crm/v3/objects/contacts/${contact.id}`,
      body: { properties: Object.fromEntries(empty) },
    });
  }

  return contact.id;
}

/**
 * Creates the contact of this address, or fills the empty properties of the one that exists: anybody
 * can type a customer's address, so no value that is there changes. Resolves to its id.
 * @throws DeliveryError
 */
export async function saveContact(
  call: CallHubspot,
  email: string,
  properties: Properties,
): Promise<string> {
  const found = await readContact(call, { id: email, idProperty: 'email' });
  if (found) return fillEmptyProperties(call, found, properties);

  try {
    return await createContact(call, properties);
  } catch (error) {
    // Somebody created it since, or the address is a further one of a contact.
    if (!(error instanceof HubspotError) || error.existingId === undefined) throw error;
    const existing = await readContact(call, { id: error.existingId });
    if (!existing) throw error;

    return fillEmptyProperties(call, existing, properties);
  }
}

/**
 * Names of all properties a contact has.
 * @throws DeliveryError
 */
export async function listContactProperties(call: CallHubspot): Promise<string[]> {
  const path = '/crm/v3/properties/contacts';
  const answer = await call({ method: 'GET', path, maxAnswerBytes: MAX_LISTING_BYTES });

  return readResponse('hubspot', answer, propertiesSchema).results.map(({ name }) => name);
}
