import { domainToASCII } from 'node:url';
import { sourceLabels, sourceNames } from '../../contact/submission-source.ts';
import { cutText } from '../../cut-text.ts';
import { escapeHtml } from '../../escape-html.ts';
import type { CrmRecord } from './crm-provider.ts';

export interface MappedField {
  readonly to: string;
  /** Null and empty values are omitted, so a repeated export never clears a field. */
  readonly from: (record: CrmRecord) => string | null | undefined;
  /** Longest value the CRM accepts, in UTF-16 code units. Longer values are truncated. */
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

/** Splits a full name into first and last name. A single word is the last name. */
export function splitName(name: string): { readonly first: string; readonly last: string } {
  const words = name.trim().split(/\s+/u);

  return { first: words.slice(0, -1).join(' '), last: words.at(-1) ?? '' };
}

/** Returns an address in lower case with an ASCII domain, for CRMs that accept only this form. */
export function toAsciiAddress(email: string): string {
  const [local = '', domain = ''] = email.toLowerCase().split('@');

  return `${local}@${domainToASCII(domain) || domain}`;
}

/** Returns a phone number in E.164, for CRMs that accept only this form; null if it has no country code. */
export function toInternationalNumber(phone: string | null): string | null {
  const number = phone?.replace(/\(0\)|[\s()./-]/g, '').replace(/^00/, '+') ?? '';

  return /^\+[1-9]\d{6,14}$/.test(number) ? number : null;
}

/** The rows of a note. They contain everything typed, because the export doesn't overwrite an existing record. */
const noteRows: readonly MappedField[] = [
  { to: 'Name', from: ({ name }) => name },
  { to: 'Email', from: ({ email }) => email },
  { to: 'Company', from: ({ company }) => company },
  { to: 'Phone', from: ({ phone }) => phone },
  { to: 'Industry', from: ({ industry_label: label }) => label },
  ...sourceNames.map((name) => ({
    to: sourceLabels[name],
    from: ({ source }: CrmRecord) => source[name],
  })),
  { to: 'Received', from: ({ received_at: time }) => time },
  // A retry uses this id to find an earlier attempt's note.
  { to: 'Reference', from: ({ submission_id: id }) => id },
];

const toHtml = (text: string) => escapeHtml(text).replace(/\r\n|\r|\n/g, '<br>');

/** Renders the message and the request's other details as HTML for a CRM note. */
export function renderLeadHtml(record: CrmRecord): string {
  const details = Object.entries(mapFields(record, noteRows)).map(
    ([label, value]) => `<b>${escapeHtml(label)}:</b> ${toHtml(value)}`,
  );
  const parts = [...(record.message ? [toHtml(record.message)] : []), details.join('<br>')];

  return parts.map((part) => `<p>${part}</p>`).join('');
}

/** Renders the message and the request's other details as plain text. Applies `format` to each value. */
export function renderLeadText(record: CrmRecord, format = (text: string) => text): string {
  const details = Object.entries(mapFields(record, noteRows)).map(
    ([label, value]) => `- ${label}: ${format(value)}`,
  );
  const parts = [...(record.message ? [format(record.message)] : []), details.join('\n')];

  return parts.join('\n\n');
}

/** Escapes text for Markdown, so it can't form a link or a picture. Preserves line breaks. */
const toMarkdown = (text: string) =>
  text.replace(/[\\`[\]<]/g, '\\$&').replace(/\r\n|\r|\n/g, '  \n');

/** Like `renderLeadText`, but for CRMs that use Markdown. */
export const renderLeadMarkdown = (record: CrmRecord): string => renderLeadText(record, toMarkdown);
