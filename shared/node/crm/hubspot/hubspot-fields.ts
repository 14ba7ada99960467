import { splitName, type MappedField } from '../field-mapping.ts';
import { sourceRows, typedRows } from '../lead-html.ts';

/** Properties of a contact; all of them exist in every account. */
export const hubspotContactFields: readonly MappedField[] = [
  { to: 'email', from: ({ email }) => email.toLowerCase() },
  { to: 'firstname', from: ({ name }) => splitName(name).first },
  { to: 'lastname', from: ({ name }) => splitName(name).last },
  { to: 'company', from: ({ company }) => company },
  { to: 'phone', from: ({ phone }) => phone },
];

/**
 * Rows of a note, below the message: all that was typed, because an existing contact keeps its own
 * values, and what is about this one request. Escaped they are shorter than the 65,536 characters
 * HubSpot takes: a message has 5,000 at most, the other fields 700 together, a row about the source
 * 500, and no character becomes longer than six.
 */
export const hubspotNoteRows: readonly MappedField[] = [
  ...typedRows,
  { to: 'Industry', from: ({ industry_label: label }) => label },
  ...sourceRows,
  { to: 'Received', from: ({ received_at: time }) => time },
  // Also what the note is found by when the answer to making it was lost.
  { to: 'Reference', from: ({ submission_id: id }) => id },
];
