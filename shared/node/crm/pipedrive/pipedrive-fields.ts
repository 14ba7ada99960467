import type { MappedField } from '../field-mapping.ts';
import { sourceRows, typedRows } from '../lead-html.ts';

/** Fields that every account has; custom ones would have names of their own in each. */
export const organizationFields: readonly MappedField[] = [
  { to: 'name', from: ({ company }) => company, max: 255 },
];

/** `emails` and `phones` are lists in Pipedrive. */
export const personFields: readonly MappedField[] = [
  { to: 'name', from: ({ name }) => name, max: 255 },
  { to: 'emails', from: ({ email }) => email.toLowerCase() },
  { to: 'phones', from: ({ phone }) => phone },
];

export const leadFields: readonly MappedField[] = [
  { to: 'title', from: ({ company }) => `${company}: assessment request`, max: 255 },
  // A repeated export knows its lead by this.
  { to: 'origin_id', from: ({ submission_id: id }) => id },
];

/** What the note says below the message, by its labels. */
export const noteRows: readonly MappedField[] = [
  // A person and an organization that exist keep their own values.
  ...typedRows,
  { to: 'Industry', from: ({ industry_label: label }) => label },
  ...sourceRows,
  { to: 'Received', from: ({ received_at: time }) => time },
  // A repeated export knows its note by this.
  { to: 'Reference', from: ({ submission_id: id }) => id },
];
