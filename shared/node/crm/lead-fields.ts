import { sourceLabels, sourceNames } from '../../contact/submission-source.ts';
import { escapeHtml } from '../../escape-html.ts';
import type { CrmRecord } from './crm-provider.ts';

/** One field of a CRM and the source of its value. */
export interface MappedField {
  /** The CRM's name of the field. */
  readonly to: string;
  /** Null or empty: the field is left out, so that a repeated export clears nothing. */
  readonly from: (record: CrmRecord) => string | null | undefined;
  /** Longest value the CRM accepts, in UTF-16 units; a longer one is cut. */
  readonly max?: number;
}

/** Cuts between characters, also where one is two units. */
const cut = (value: string, max: number) => value.slice(0, max).replace(/[\uD800-\uDBFF]$/u, '');

/** Maps a record to a CRM's fields. */
export function mapFields(
  record: CrmRecord,
  fields: readonly MappedField[],
): Record<string, string> {
  const entries = fields.map(({ to, from, max }) => {
    const value = from(record) ?? '';

    return [to, max === undefined ? value : cut(value, max)] as const;
  });

  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
}

/** A full name in the two parts many CRMs ask for; a single word is the last name. */
export function splitName(name: string): { readonly first: string; readonly last: string } {
  const words = name.trim().split(/\s+/u);

  return { first: words.slice(0, -1).join(' '), last: words.at(-1) ?? '' };
}

/** What the visitor typed besides industry and message, for a note on a record that existed before. */
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
  const details = Object.entries(mapFields(record, rows)).map(
    ([label, value]) => `<b>${escapeHtml(label)}:</b> ${toHtml(value)}`,
  );
  const parts = [...(record.message ? [toHtml(record.message)] : []), details.join('<br>')];

  return parts.map((part) => `<p>${part}</p>`).join('');
}
