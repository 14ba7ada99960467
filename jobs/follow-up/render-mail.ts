import { escapeHtml } from '../../shared/escape-html.ts';
import type { FollowUpMail } from './follow-up-mail.ts';

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

/** The plain form: complete by itself, the visitor's words quoted. */
export function renderText(mail: FollowUpMail): string {
  const width = Math.max(...mail.rows.map(({ label }) => label.length));

  return [
    mail.lead,
    '',
    ...mail.rows.map(({ label, value }) => `${`${label}:`.padEnd(width + 2)}${value}`),
    ...(mail.message === null
      ? []
      : ['', 'Message:', ...mail.message.split(/\r\n|\r|\n/).map((line) => `> ${line}`)]),
    '',
    `${mail.link.label}: ${mail.link.url}`,
    '',
    mail.note,
    '',
  ].join('\n');
}

const text = 'font:16px/1.5 Arial,Helvetica,sans-serif;color:#17221B;';

const renderRow = ({ label, value }: FollowUpMail['rows'][number]) => html`<tr>
<th align="left" valign="top" style="${text}color:#55605A;font-weight:normal;padding:4px 16px 4px 0">${label}</th>
<td style="${text}padding:4px 0">${value}</td>
</tr>
`;

const renderMessage = (message: string) => html`<p style="${text}margin:24px 0 8px;color:#55605A">Message</p>
<blockquote style="${text}margin:0;padding:12px 16px;background:#FBF8F1;border-left:4px solid #BE9532;white-space:pre-wrap">${message}</blockquote>
`;

/** The HTML form, with tables and inline styles as mail programs need them. */
export function renderHtml(mail: FollowUpMail): string {
  const document = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${mail.subject}</title></head>
<body style="margin:0;padding:24px;background:#EFE7D6">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center">
<table role="presentation" width="600" cellpadding="0" cellspacing="0" style="max-width:600px;background:#FFFFFF">
<tr><td style="padding:32px">
<h1 style="${text}font-size:22px;margin:0 0 16px">${mail.heading}</h1>
<p style="${text}margin:0 0 24px">${mail.lead}</p>
<table role="presentation" cellpadding="0" cellspacing="0">
${mail.rows.map(renderRow)}</table>
${mail.message === null ? [] : renderMessage(mail.message)}
<p style="margin:32px 0"><a href="${mail.link.url}" style="${text}display:inline-block;padding:12px 24px;background:#386A49;color:#FFFFFF;text-decoration:none;font-weight:bold">${mail.link.label}</a></p>
<p style="${text}font-size:14px;color:#55605A;margin:0">${mail.note}</p>
</td></tr></table>
</td></tr></table>
</body></html>
`;

  return document.text;
}
