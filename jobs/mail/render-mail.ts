import { escapeHtml } from '../../shared/escape-html.ts';

interface MailLink {
  readonly label: string;
  readonly url: string;
}

/** A mail as parts of text, from which both forms are made. */
export interface MailContent {
  readonly subject: string;
  readonly heading: string;
  readonly lead: string;
  readonly rows: ReadonlyArray<{ readonly label: string; readonly value: string }>;
  /** The visitor's own words. */
  readonly message: string | null;
  /** What the mail asks to do. */
  readonly link: MailLink;
  readonly note: string;
  /** What the note offers. */
  readonly noteLink: MailLink | null;
}

/** HTML whose interpolated values are escaped; nested results are not escaped twice. */
class SafeHtml {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Interpolated = string | SafeHtml | readonly SafeHtml[];

function toHtml(value: Interpolated): string {
  if (value instanceof SafeHtml) return value.text;
  if (typeof value === 'string') return escapeHtml(value);

  return value.map(({ text }) => text).join('');
}

function html(parts: TemplateStringsArray, ...values: readonly Interpolated[]): SafeHtml {
  return new SafeHtml(
    parts.reduce((text, part, index) => text + toHtml(values[index - 1] ?? '') + part),
  );
}

const renderLinkText = ({ label, url }: MailLink) => `${label}: ${url}`;

function renderRowsText(rows: MailContent['rows']): string {
  const width = Math.max(...rows.map(({ label }) => label.length));

  return rows.map(({ label, value }) => `${`${label}:`.padEnd(width + 2)}${value}`).join('\n');
}

function renderMessageText(message: string): string {
  const lines = message.split(/\r\n|\r|\n/).map((line) => `> ${line}`);

  return ['Message:', ...lines].join('\n');
}

/** The plain form: complete by itself, the visitor's words quoted. */
export function renderText({ lead, rows, message, link, note, noteLink }: MailContent): string {
  const parts = [
    lead,
    ...(rows.length === 0 ? [] : [renderRowsText(rows)]),
    ...(message === null ? [] : [renderMessageText(message)]),
    renderLinkText(link),
    note,
    ...(noteLink === null ? [] : [renderLinkText(noteLink)]),
  ];

  return `${parts.join('\n\n')}\n`;
}

const text = 'font:16px/1.5 Arial,Helvetica,sans-serif;color:#17221B;';

const renderRow = ({ label, value }: MailContent['rows'][number]) => html`<tr>
<th align="left" valign="top" style="${text}color:#55605A;font-weight:normal;padding:4px 16px 4px 0">${label}</th>
<td style="${text}padding:4px 0">${value}</td>
</tr>
`;

const renderRows = (rows: MailContent['rows']) => html`<table role="presentation" cellpadding="0" cellspacing="0">
${rows.map(renderRow)}</table>
`;

const renderMessage = (message: string) => html`<p style="${text}margin:24px 0 8px;color:#55605A">Message</p>
<blockquote style="${text}margin:0;padding:12px 16px;background:#FBF8F1;border-left:4px solid #BE9532;white-space:pre-wrap">${message}</blockquote>
`;

const renderNoteLink = ({ label, url }: MailLink) => html` <a href="${url}" style="color:#386A49">${label}</a>`;

/** The HTML form, with tables and inline styles as mail programs need them. */
export function renderHtml(mail: MailContent): string {
  const document = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${mail.subject}</title></head>
<body style="margin:0;padding:24px;background:#EFE7D6">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center">
<table role="presentation" width="600" cellpadding="0" cellspacing="0" style="max-width:600px;background:#FFFFFF">
<tr><td style="padding:32px">
<h1 style="${text}font-size:22px;margin:0 0 16px">${mail.heading}</h1>
<p style="${text}margin:0 0 24px">${mail.lead}</p>
${mail.rows.length === 0 ? [] : renderRows(mail.rows)}${mail.message === null ? [] : renderMessage(mail.message)}
<p style="margin:32px 0"><a href="${mail.link.url}" style="${text}display:inline-block;padding:12px 24px;background:#386A49;color:#FFFFFF;text-decoration:none;font-weight:bold">${mail.link.label}</a></p>
<p style="${text}font-size:14px;color:#55605A;margin:0">${mail.note}${mail.noteLink === null ? [] : renderNoteLink(mail.noteLink)}</p>
</td></tr></table>
</td></tr></table>
</body></html>
`;

  return document.text;
}
