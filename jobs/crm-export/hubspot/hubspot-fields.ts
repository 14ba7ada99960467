import { splitName, type MappedField } from '../field-mapping.ts';
import { sourceRows } from '../lead-html.ts';

/** Properties of a contact; all of them exist in every account. */
export const hubspotContactFields: readonly MappedField[] = [
  { to: 'email', from: ({ email }) => email.toLowerCase() },
  { to: 'firstname', from: ({ name }) => splitName(name).first },
  { to: 'lastname', from: ({ name }) => splitName(name).last },
  { to: 'company', from: ({ company }) => company },
  { to: 'phone', from: ({ phone }) => phone },
];

/**
 * What is about this one request and not about the person: rows of a note, below the message.
 * Escaped they are shorter than the 65,536 characters HubSpot takes: a message has 5,000 at most, a
 * row about the source 500, and none becomes longer than six.
 */
export const hubspotNoteRows: readonly MappedField[] = [
  { to: 'Industry', from: ({ industry_label: label }) => label },
  ...sourceRows,
  { to: 'Received', from: ({ received_at: time }) => time },
  // Also what the note is found by when the answer to making it was lost.
  { to: 'Reference', from: ({ submission_id: id }) => id },
];
