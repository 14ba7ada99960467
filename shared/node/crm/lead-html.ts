import { sourceLabels, sourceNames } from '../../contact/submission-source.ts';
import { escapeHtml } from '../../escape-html.ts';
import type { CrmRecord } from './crm-provider.ts';
import { mapFields, type MappedField } from './field-mapping.ts';

/** What the visitor typed beside industry and message, for a note on a record that exists already. */
export const typedRows: readonly MappedField[] = [
  { to: 'Name', from: ({ name }) => name },
  { to: 'Email', from: ({ email }) => email },
  { to: 'Company', from: ({ company }) => company },
  { to: 'Phone', from: ({ phone }) => phone },
];

/** Where the visit came from, each part under the label people read. */
export const sourceRows: readonly MappedField[] = sourceNames.map((name) => ({
  to: sourceLabels[name],
  from: ({ source }) => source[name],
}));

/** Escaped text with its line breaks. */
const toHtml = (text: string) => escapeHtml(text).replace(/\r\n|\r|\n/g, '<br>');

/** The visitor's message and, below it, the rows whose `to` is a label, as HTML for a CRM's note. */
export function renderLeadHtml(record: CrmRecord, rows: readonly MappedField[]): string {
  const facts = Object.entries(mapFields(record, rows)).map(
    ([label, value]) => `<b>${escapeHtml(label)}:</b> ${toHtml(value)}`,
  );
  const parts = [...(record.message ? [toHtml(record.message)] : []), facts.join('<br>')];

  return parts.map((part) => `<p>${part}</p>`).join('');
}
