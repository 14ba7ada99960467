import { domainToASCII } from 'node:url';
import { sourceLabels, sourceNames } from '../../contact/submission-source.ts';
import { cutText } from '../../cut-text.ts';
import { escapeHtml } from '../../escape-html.ts';
import type { CrmRecord } from './crm-provider.ts';

export interface MappedField {
  readonly to: string;
  /** Null or empty: the field is left out, so that a repeated export clears nothing. */
  readonly from: (record: CrmRecord) => string | null | undefined;
  /** Longest value the CRM accepts, in UTF-16 units; a longer one is cut. */
  readonly max?: number;
}

/** Maps a record to a CRM's fields. */
export function mapFields(
  record: CrmRecord,
  fields: readonly MappedField[],
): Record<string, string> {
  const entries = fields.map(({ to, from, max }) => {
    const value = from(record) ?? '';

    return [to, max === undefined ? value : cutText(value, max)] as const;
  });

  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
}

/** In place of what a CRM requires and nobody typed. */
export const NOT_GIVEN = '[not provided]';

/** A full name in the two parts many CRMs ask for; a single word is the last name. */
export function splitName(name: string): { readonly first: string; readonly last: string } {
  const words = name.trim().split(/\s+/u);

  return { first: words.slice(0, -1).join(' '), last: words.at(-1) ?? '' };
}

/** An address in lower case, its domain as the DNS has it, for CRMs that take no other script. */
export function toAsciiAddress(email: string): string {
  const [local = '', domain = ''] = email.toLowerCase().split('@');

  return `${local}@${domainToASCII(domain) || domain}`;
}

/** A number in E.164, for CRMs that take no other form; null where none with a country code was typed. */
export function toInternationalNumber(phone: string | null): string | null {
  const number = phone?.replace(/\(0\)|[\s()./-]/g, '').replace(/^00/, '+') ?? '';

  return /^\+[1-9]\d{6,14}$/.test(number) ? number : null;
}

const typedRows: readonly MappedField[] = [
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

/** A note's rows: all that was typed, because an existing record keeps its values, and what is about this request. */
export const noteRows: readonly MappedField[] = [
  ...typedRows,
  { to: 'Industry', from: ({ industry_label: label }) => label },
  ...sourceRows,
  { to: 'Received', from: ({ received_at: time }) => time },
  // Where the response to its creation was lost, the note is found by it.
  { to: 'Reference', from: ({ submission_id: id }) => id },
];

const toHtml = (text: string) => escapeHtml(text).replace(/\r\n|\r|\n/g, '<br>');

/** The visitor's message and, below it, the rows whose `to` is a label, as HTML for a CRM's note. */
export function renderLeadHtml(record: CrmRecord, rows: readonly MappedField[]): string {
  const details = Object.entries(mapFields(record, rows)).map(
    ([label, value]) => `<b>${escapeHtml(label)}:</b> ${toHtml(value)}`,
  );
  const parts = [...(record.message ? [toHtml(record.message)] : []), details.join('<br>')];

  return parts.map((part) => `<p>${part}</p>`).join('');
}

/** Text that Markdown shows with its line breaks; no link or picture hides behind other words. */
const toMarkdown = (text: string) =>
  text.replace(/[\\`[\]<]/g, '\\$&').replace(/\r\n|\r|\n/g, '  \n');

/** The message and the rows as lines, each text as `show` makes it. */
function renderLines(
  record: CrmRecord,
  rows: readonly MappedField[],
  show: (text: string) => string,
): string {
  const details = Object.entries(mapFields(record, rows)).map(
    ([label, value]) => `- ${label}: ${show(value)}`,
  );
  const parts = [...(record.message ? [show(record.message)] : []), details.join('\n')];

  return parts.join('\n\n');
}

/** As `renderLeadHtml`, as plain text. */
export const renderLeadText = (record: CrmRecord, rows: readonly MappedField[]): string =>
  renderLines(record, rows, (text) => text);

/** As `renderLeadHtml`, as Markdown for CRMs whose texts are Markdown; readable as plain text too. */
export const renderLeadMarkdown = (record: CrmRecord, rows: readonly MappedField[]): string =>
  renderLines(record, rows, toMarkdown);
