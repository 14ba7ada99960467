import { escapeHtml } from '../../escape-html.ts';
import type {
  MailBar,
  MailChart,
  MailContent,
  MailItem,
  MailLink,
  MailList,
  MailRow,
  MailSection,
} from './mail-content.ts';
import { background, styles, styleSheet } from './mail-styles.ts';
import { defang, defangLine } from './untrusted-text.ts';

/** HTML that is not escaped when interpolated. */
class EscapedHtml {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Interpolated = string | EscapedHtml | readonly EscapedHtml[];

function toHtml(value: Interpolated): string {
  if (value instanceof EscapedHtml) return value.text;
  if (typeof value === 'string') return escapeHtml(value);

  return value.map(({ text }) => text).join('');
}

/** Tag for HTML template literals. Escapes interpolated strings. */
function html(parts: TemplateStringsArray, ...values: readonly Interpolated[]): EscapedHtml {
  return new EscapedHtml(
    parts.reduce((text, part, index) => text + toHtml(values[index - 1] ?? '') + part),
  );
}

/** In bytes. Gmail cuts off a mail's HTML after 102 kB. */
const MAX_HTML_BYTES = 100_000;

const nothing: readonly EscapedHtml[] = [];

/** `dir="auto"` isolates right-to-left text from visitors. */
const renderValue = ({ value, url, isTrusted }: MailRow) =>
  url === undefined
    ? html`<span dir="auto">${isTrusted ? value : defangLine(value)}</span>`
    : html`<a class="link" href="${url}" style="${styles.link}">${value}</a>`;

const renderRow = (row: MailRow) => html`<tr>
<th scope="row" class="stack muted line" style="${styles.label}">${row.label}</th>
<td class="stack card line" style="${styles.value}">${renderValue(row)}</td>
</tr>
`;

const renderRows = (rows: readonly MailRow[]) => html`<table cellpadding="0" cellspacing="0" border="0" width="100%" style="${styles.rows}">
${rows.map(renderRow)}</table>
`;

const renderHighlight = (highlight: NonNullable<MailContent['highlight']>) => {
  const part = highlight.isUrgent ? 'urgent' : 'panel';

  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" width="100%"><tr>
<td class="${part}" style="${styles[part]}">${highlight.label}<br><span style="${styles.highlight}">${highlight.value}</span></td>
</tr></table>
`;
};

/** Uses `br` elements, because Outlook ignores `white-space`. */
const renderLines = (text: string) =>
  text.split('\n').map((line, index) => (index === 0 ? html`${line}` : html`<br>${line}`));

const renderMessage = (message: string) => html`<p class="soft" style="${styles.caption}">Message</p>
<table role="presentation" cellpadding="0" cellspacing="0" border="0" width="100%"><tr>
<td class="quote" dir="auto" style="${styles.quote}">${renderLines(defang(message))}</td>
</tr></table>
`;

function renderList({ title, isSequence, items }: MailList) {
  const lines = items.map((item) => html`<li style="${styles.line}">${item}</li>
`);

  return html`<p class="soft" style="${styles.caption}">${title}</p>
${isSequence ? html`<ol style="${styles.steps}">${lines}</ol>` : html`<ul style="${styles.steps}">${lines}</ul>`}
`;
}

/** Renders a button. The color is set on the cell, for Outlook. */
const renderButton = ({ label, url }: MailLink) => html`<td class="stack button" bgcolor="${background.button}" align="center" style="${styles.button}"><a class="button" href="${url}" style="${styles.buttonLink}">${label}</a></td>
`;

/** Renders an outlined button after a gap. */
const renderNextButton = ({ label, url }: MailLink) => html`<td class="stack" width="12" style="${styles.gap}">&nbsp;</td>
<td class="stack outline" align="center" style="${styles.outline}"><a class="card link" href="${url}" style="${styles.outlineLink}">${label}</a></td>
`;

function renderButtons(links: readonly MailLink[]) {
  const [first, ...others] = links;

  return first
    ? html`<table role="presentation" class="full" cellpadding="0" cellspacing="0" border="0" style="margin:32px 0 0"><tr>
${renderButton(first)}${others.map(renderNextButton)}</tr></table>
`
    : nothing;
}

/** Uses few elements, because a mail may have many items and Gmail limits its size. */
const renderItem = ({ title, rows, link }: MailItem) => html`<p class="ink line" style="${styles.item}"><b dir="auto">${defangLine(title)}</b><br>
${rows.map((row) => html`${row.label}: ${renderValue(row)}<br>
`)}<a class="link" href="${link.url}" style="${styles.itemLink}">${link.label}</a></p>
`;

const renderCompactItem = ({ title, rows, link }: MailItem) => html`<li style="${styles.line}"><b dir="auto">${defangLine(title)}</b>: ${rows.map(({ value }) => defangLine(value)).join('; ')}. <a class="link" href="${link.url}" style="${styles.link}">${link.label}</a></li>
`;

const renderCompactItems = (items: readonly MailItem[]) => html`<ul style="${styles.lines}">
${items.map(renderCompactItem)}</ul>
`;

const renderSection = ({ title, isCompact, items }: MailSection) => html`<h2 class="ink" style="${styles.section}">${title}</h2>
${isCompact ? renderCompactItems(items) : items.map(renderItem)}`;

/** Length of the longest bar, as a percentage of the cell. The number needs the rest. */
const MAX_BAR = 75;

/** Lets long addresses break after the `@` on a phone. */
const renderLabel = ({ label, isTrusted }: MailBar) =>
  isTrusted
    ? label.split('@').map((part, index) => (index === 0 ? html`${part}` : html`@<wbr>${part}`))
    : html`${defangLine(label)}`;

/** Renders a bar as a colored cell, which every mail program shows. */
const renderBar = (bar: MailBar, longest: number) => html`<tr>
<th scope="row" class="card line" style="${styles.chartLabel}"><span dir="auto">${renderLabel(bar)}</span></th>
<td class="card line" style="${styles.chartBar}"><table role="presentation" cellpadding="0" cellspacing="0" border="0" width="100%"><tr>
${bar.value === 0 ? nothing : html`<td class="bar" bgcolor="${background.bar}" width="${String(Math.max(1, Math.round((bar.value / longest) * MAX_BAR)))}%" style="${styles.bar}">&nbsp;</td>`}<td class="card" style="${styles.barValue}">${String(bar.value)}</td>
</tr></table></td>
<td class="muted line" style="${styles.chartNote}">${bar.note}</td>
</tr>
`;

function renderChart({ title, columns: [label, value, note], bars }: MailChart) {
  const longest = Math.max(...bars.map((bar) => bar.value));

  return html`<h2 class="ink" style="${styles.section}">${title}</h2>
<table cellpadding="0" cellspacing="0" border="0" width="100%" style="${styles.chart}">
<tr><th scope="col" class="muted line" width="44%" style="${styles.chartHead}">${label}</th><th scope="col" class="muted line" style="${styles.chartHead}">${value}</th><th scope="col" class="muted line" width="15%" style="${styles.chartNote}">${note}</th></tr>
${bars.map((bar) => renderBar(bar, longest))}</table>
`;
}

const renderNoteLink = ({ label, url }: MailLink) => html` <a class="page" href="${url}" style="${styles.footLink}">${label}</a>`;

const renderBody = (mail: MailContent) => html`<h1 class="ink" style="${styles.heading}">${mail.heading}</h1>
<p class="ink" style="${styles.lead}">${mail.lead}</p>
${mail.highlight ? renderHighlight(mail.highlight) : nothing}${mail.rows.length > 0 ? renderRows(mail.rows) : nothing}${mail.message === null ? nothing : renderMessage(mail.message)}${(mail.lists ?? []).map(renderList)}${renderButtons([mail.reply ?? null, mail.link].filter((link) => link !== null))}${mail.sections.map(renderSection)}${(mail.charts ?? []).map(renderChart)}`;

/**
 * Renders the HTML part, using only what Outlook and Gmail support: layout tables, inline styles and colors set on
 * cells. It loads no external resources.
 */
export function renderHtml(mail: MailContent): string {
  const document = html`<!doctype html>
<html lang="en" dir="ltr"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<meta name="x-apple-disable-message-reformatting">
<title>${mail.subject}</title>
<style>${new EscapedHtml(styleSheet)}</style></head>
<body class="page" bgcolor="${background.page}" style="${styles.page}">
<div style="${styles.preview}">${defangLine(mail.preview)}</div>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="${background.page}" style="${styles.page}"><tr><td align="center" style="padding:24px 8px">
<table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0" style="${styles.frame}">
<tr><td class="head pad" align="left" bgcolor="${background.head}" style="${styles.head}">${mail.siteName}</td></tr>
<tr><td class="card pad" align="left" bgcolor="${background.card}" style="${styles.card}">${renderBody(mail)}</td></tr>
<tr><td class="page pad" align="left" bgcolor="${background.page}" style="${styles.foot}">${mail.note}${mail.noteLink ? renderNoteLink(mail.noteLink) : nothing}</td></tr>
</table>
</td></tr></table>
</body></html>
`;

  return document.text;
}

/**
 * Writes a mail with as many items as fit within Gmail's limit.
 * @param most maximum number of items
 * @param write writes the mail with a given number of items
 */
export function fitUnderClippingLimit(most: number, write: (count: number) => MailContent): MailContent {
  let count = most;
  let mail = write(count);
  while (count > 0 && Buffer.byteLength(renderHtml(mail)) > MAX_HTML_BYTES) {
    count -= 1;
    mail = write(count);
  }

  return mail;
}
