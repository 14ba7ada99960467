import * as v from 'valibot';
import type { CrmSettingsOf } from '../../config/crm-settings.ts';
import type { OutboundClient } from '../../outbound/outbound-client.ts';
import { runStep, type CrmProvider, type CrmRecord, type ExportContext } from '../crm-provider.ts';
import { mapFields, noteRows, renderLeadHtml, splitName, type MappedField } from '../lead-fields.ts';
import { readResponse } from '../read-response.ts';
import {
  connectHubspot,
  HUBSPOT_VERSION,
  HubspotError,
  hubspotProblemSchema,
  makeBatchError,
  type CallHubspot,
} from './hubspot-api.ts';
import { testHubspot } from './hubspot-checks.ts';
import { createNote, findNote } from './hubspot-notes.ts';

/** Properties of a contact; all of them exist in every account. */
const contactFields: readonly MappedField[] = [
  { to: 'email', from: ({ email }) => email.toLowerCase() },
  { to: 'firstname', from: ({ name }) => splitName(name).first },
  { to: 'lastname', from: ({ name }) => splitName(name).last },
  { to: 'company', from: ({ company }) => company },
  { to: 'phone', from: ({ phone }) => phone },
];

type Properties = Readonly<Record<string, string>>;

const id = v.pipe(v.string(), v.digits());
const contactSchema = v.object({
  id,
  properties: v.record(v.string(), v.nullish(v.string())),
});
type Contact = v.InferOutput<typeof contactSchema>;

const foundSchema = v.object({
  results: v.optional(v.array(contactSchema), []),
  errors: v.optional(v.array(hubspotProblemSchema), []),
});
const createdSchema = v.object({ id });

/**
 * Reads a contact by its id, or by the value of a property no two contacts share. By POST, because
 * an address in a URL ends up in logs. Not by search, which knows a new contact only seconds later.
 */
async function readContact(
  call: CallHubspot,
  key: { readonly id: string; readonly idProperty?: 'email' },
): Promise<Contact | undefined> {
  const { id: value, ...property } = key;
  const properties = contactFields.map(({ to }) => to);
  const response = await call({
    method: 'POST',
    path: `/crm/objects/${HUBSPOT_VERSION}/contacts/batch/read`,
    body: { ...property, inputs: [{ id: value }], properties, propertiesWithHistory: [] },
  });
  const { results, errors } = readResponse('hubspot', response, foundSchema);
  // 207: the batch was accepted and its one input wasn't, as when there is no such contact.
  const error = errors.find(({ category }) => category !== 'OBJECT_NOT_FOUND');
  if (!results[0] && error) throw makeBatchError(response, error);

  return results[0];
}

async function createContact(call: CallHubspot, properties: Properties): Promise<string> {
  const path = `/crm/objects/${HUBSPOT_VERSION}/contacts`;
  const response = await call({ method: 'POST', path, body: { properties, associations: [] } });

  return readResponse('hubspot', response, createdSchema).id;
}

/** Writes only the properties that are empty in the contact. */
async function fillEmptyProperties(
  call: CallHubspot,
  contact: Contact,
  properties: Properties,
): Promise<string> {
  const empty = Object.entries(properties).filter(([name]) => !contact.properties[name]?.trim());
  if (empty.length > 0) {
    await call({
      method: 'PATCH',
      path: `/crm/objects/${HUBSPOT_VERSION}/contacts/${contact.id}`,
      body: { properties: Object.fromEntries(empty) },
    });
  }

  return contact.id;
}

/**
 * Creates the contact of this address, or fills the empty properties of the one that exists: anybody
 * can type a customer's address, so no existing value changes. Resolves to its id.
 * @throws DeliveryError
 */
async function saveContact(
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
 * Saves the lead's contact. Where HubSpot refuses the address, which the note has too, it is one without it: nothing
 * but its recorded id finds that again.
 */
async function exportContact(call: CallHubspot, record: CrmRecord, context: ExportContext): Promise<string> {
  const properties = mapFields(record, contactFields);
  const address = record.email.toLowerCase();

  try {
    // At every attempt: it is idempotent, and a contact of an earlier attempt may have been deleted.
    // Under a lock, so that two leads of one person don't both fill the same property.
    return await context.withAdvisoryLock(`contact ${address}`, () => saveContact(call, address, properties));
  } catch (error) {
    if (!(error instanceof HubspotError) || error.errorCode !== 'INVALID_EMAIL') throw error;
    const { email: _refused, ...others } = properties;

    return runStep(context, 'contact', () => createContact(call, others));
  }
}

async function exportNote(
  call: CallHubspot,
  contactId: string,
  record: CrmRecord,
  { steps, attempt }: ExportContext,
) {
  if (steps.get('note') !== undefined) return;
  // Creating a note isn't idempotent, and the response to an earlier attempt may have been lost.
  const found = attempt > 1 ? await findNote(call, contactId, record.submission_id) : undefined;
  // Escaped it is shorter than the 65,536 characters HubSpot takes: a message has 5,000 at most, the other fields
  // 700 together, a row about the source 500, and no character becomes longer than six.
  const body = renderLeadHtml(record, noteRows);
  const note = { contactId, time: record.received_at, body };
  await steps.record('note', found ?? (await createNote(call, note)));
}

/**
 * Creates the contact of the lead's address, or fills what is empty in the one that exists, and adds
 * a note with all that was typed. The id of an export is the contact's.
 */
export function createHubspotProvider(
  settings: CrmSettingsOf<'hubspot'>,
  client: OutboundClient,
): CrmProvider {
  return {
    exportRecord: async (record, context) => {
      const call = connectHubspot(settings, client, context.signal);
      const contactId = await exportContact(call, record, context);
      await exportNote(call, contactId, record, context);

      return contactId;
    },
    test: (signal) => {
      const fields = contactFields.map(({ to }) => to);

      return testHubspot(settings.token, connectHubspot(settings, client, signal), fields);
    },
  };
}
