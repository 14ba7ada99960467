import { escapeHtml } from '../../shared/escape-html.ts';
import type { CrmRecord } from './crm-provider.ts';
import { mapFields, sourceLines, splitName, type MappedField } from './field-mapping.ts';

/** Properties of a contact; all of them exist in every account. */
export const hubspotContactFields: readonly MappedField[] = [
  { to: 'email', from: ({ email }) => email.toLowerCase() },
  { to: 'firstname', from: ({ name }) => splitName(name).first },
  { to: 'lastname', from: ({ name }) => splitName(name).last },
  { to: 'company', from: ({ company }) => company },
  { to: 'phone', from: ({ phone }) => phone },
];

/**
 * What is about this one request and not about the person, as lines of a note. Escaped they are
 * shorter than the 65,536 characters HubSpot takes: a message has 5,000 at most, a line about the
 * source 500, and none becomes longer than six.
 */
export const hubspotNoteLines: readonly MappedField[] = [
  { to: 'Message', from: ({ message }) => message },
  { to: 'Industry', from: ({ industry_label: label }) => label },
  ...sourceLines,
  { to: 'Received', from: ({ received_at: time }) => time },
  // Also what the note is found by when the answer to making it was lost.
  { to: 'Submission', from: ({ submission_id: id }) => id },
];

/** The note about a lead, in HTML. */
export function makeNoteBody(record: CrmRecord): string {
  return Object.entries(mapFields(record, hubspotNoteLines))
    .map(([label, value]) => `${label}: ${escapeHtml(value).replaceAll('\n', '<br>')}`)
    .join('<br>');
}
