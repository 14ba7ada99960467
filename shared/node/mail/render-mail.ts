import type { MailChart, MailContent, MailItem, MailLink, MailList, MailRow, MailSection } from './mail-content.ts';
import type { OutgoingMail } from './mailer.ts';
import { renderHtml } from './render-html.ts';
import { cleanText, defang, defangLine } from './untrusted-text.ts';

/** Maximum line length in columns (RFC 5322, 2.1.1). Quoting adds two. */
const WIDTH = 76;
/** Minimum width of a value in columns, so that a time with its zone fits on one line. */
const VALUE_WIDTH = 64;

/** Width of a list item's marker, in columns. */
const LIST_MARK = 3;

/** Breaks a line at spaces. Longer words, such as URLs, are not broken. */
function wrapLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    if (current !== '' && current.length + 1 + word.length > width) {
      lines.push(current);
      current = word;
    } else current = current === '' ? word : `${current} ${word}`;
  }

  return [...lines, current];
}

const wrap = (text: string) => wrapLine(text, WIDTH).join('\n');

/** Renders a link on its own line, unwrapped, so that mail programs recognize it. */
const renderLink = ({ label, url }: MailLink) => `${label}: ${url}`;

const formatValue = ({ value, url, isTrusted }: MailRow) =>
  url === undefined && !isTrusted ? defangLine(value) : value;

function renderRows(rows: readonly MailRow[]): string {
  const indent = Math.max(...rows.map(({ label }) => label.length)) + 2;

  return rows
    .map((row) => {
      const [first = '', ...others] = wrapLine(formatValue(row), Math.max(VALUE_WIDTH, WIDTH - indent));

      return [
        `${row.label}:`.padEnd(indent) + first,
        ...others.map((line) => ' '.repeat(indent) + line),
      ].join('\n');
    })
    .join('\n');
}

function renderMessage(message: string): string {
  const lines = defang(message)
    .split('\n')
    .flatMap((line) => wrapLine(line.trimEnd(), WIDTH - 2))
    .map((line) => `> ${line}`.trimEnd());

  return ['Message:', ...lines].join('\n');
}

const renderItem = ({ title, rows, link }: MailItem) =>
  [defangLine(title), renderRows(rows), renderLink(link)].join('\n');

const renderCompactItem = ({ title, rows, link }: MailItem) =>
  [wrap(`${defangLine(title)}: ${rows.map(formatValue).join('; ')}`), renderLink(link)].join('\n');

function renderList({ title, isSequence, items }: MailList): string {
  const lines = items.flatMap((item, index) => {
    const [first = '', ...others] = wrapLine(item, WIDTH - LIST_MARK);
    const mark = isSequence ? `${index + 1}.` : '-';

    return [mark.padEnd(LIST_MARK) + first, ...others.map((line) => ' '.repeat(LIST_MARK) + line)];
  });

  return [`${title}:`, ...lines].join('\n');
}

const renderTitle = (title: string) => `${title}\n${'-'.repeat(title.length)}`;

const renderSection = ({ title, isCompact, items }: MailSection) =>
  [
    renderTitle(title),
    ...items.map(isCompact ? renderCompactItem : renderItem),
  ].join('\n\n');

const renderChart = ({ title, columns: [, , noteHead], bars }: MailChart) =>
  [
    renderTitle(title),
    renderRows(
      bars.map(({ label, isTrusted, value, note }) => ({
        label: isTrusted ? label : defangLine(label),
        value: `${value} (${noteHead.toLowerCase()}: ${note})`,
      })),
    ),
  ].join('\n\n');

/** Renders the text part. Untrusted text is quoted and defanged. */
export function renderText(mail: MailContent): string {
  const { lead, highlight, rows, message, lists = [], reply = null, link, sections, charts = [], note, noteLink } = mail;
  const allRows = [...(highlight ? [highlight] : []), ...rows];
  const parts = [
    wrap(lead),
    ...(allRows.length === 0 ? [] : [renderRows(allRows)]),
    ...(message === null ? [] : [renderMessage(message)]),
    ...lists.map(renderList),
    ...[reply, link].flatMap((one) => (one === null ? [] : [renderLink(one)])),
    ...sections.map(renderSection),
    ...charts.map(renderChart),
    wrap(note),
    ...(noteLink === null ? [] : [renderLink(noteLink)]),
  ];

  return `${parts.join('\n\n')}\n`;
}

/** Renders a mail's subject and both parts. */
export function renderMail(mail: MailContent): Pick<OutgoingMail, 'subject' | 'text' | 'html'> {
  return {
    subject: cleanText(mail.subject).replace(/\s+/g, ' '),
    text: renderText(mail),
    html: renderHtml(mail),
  };
}
