import type { CrmRecord } from './crm-provider.ts';
import type { MappedField } from './field-mapping.ts';
import { sourceRows } from './lead-html.ts';

/**
 * The last twelve digits of a lead's id: all random in every version of UUID, short enough for a
 * title, and by them a repeated export finds its lead.
 */
export const makeReference = ({ submission_id: id }: CrmRecord) => id.slice(-12);

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
  {
    to: 'title',
    from: (record) => `${record.company}: assessment request ${makeReference(record)}`,
    max: 255,
  },
  { to: 'origin_id', from: ({ submission_id: id }) => id },
];

/** What the note says below the message, by its labels. */
export const noteRows: readonly MappedField[] = [
  { to: 'Company', from: ({ company }) => company },
  { to: 'Industry', from: ({ industry_label: label }) => label },
  ...sourceRows,
  { to: 'Received', from: ({ received_at: time }) => time },
  // A repeated export knows its note by this.
  { to: 'Reference', from: ({ submission_id: id }) => id },
];
