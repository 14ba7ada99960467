import type { CrmSettingsOf } from '../../config/crm-settings.ts';
import type { OutboundClient } from '../../outbound/outbound-client.ts';
import type { CrmProvider, CrmRecord, ExportContext } from '../crm-provider.ts';
import { mapFields } from '../field-mapping.ts';
import { connectHubspot, type CallHubspot } from './hubspot-api.ts';
import { testHubspot } from './hubspot-checks.ts';
import { saveContact } from './hubspot-contacts.ts';
import { hubspotContactFields, hubspotNoteRows } from './hubspot-fields.ts';
import { createNote, findNote } from './hubspot-notes.ts';
import { renderLeadHtml } from '../lead-html.ts';

async function exportNote(
  call: CallHubspot,
  contactId: string,
  record: CrmRecord,
  { steps, attempt }: ExportContext,
) {
  if (steps.get('note') !== undefined) return;
  // Making a note isn't idempotent, and the answer to an earlier try may have been lost.
  const found = attempt > 1 ? await findNote(call, contactId, record.submission_id) : undefined;
  const body = renderLeadHtml(record, hubspotNoteRows);
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
      const properties = mapFields(record, hubspotContactFields);
      const email = record.email.toLowerCase();
      // At every try: it makes no second one, and an id kept from an earlier try may be gone. One
      // after another, so that two leads of one person don't both fill the same property.
      const contactId = await context.tryWithAdvisoryLock(`contact ${email}`, () =>
        saveContact(call, email, properties),
      );
      await exportNote(call, contactId, record, context);

      return contactId;
    },
    test: (signal) => testHubspot(settings.token, connectHubspot(settings, client, signal)),
  };
}
