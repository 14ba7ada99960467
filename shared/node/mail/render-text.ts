import { defang, defangLine } from './untrusted-text.ts';
import type { MailContent, MailItem, MailLink, MailRow, MailSection } from './mail-content.ts';

/** Columns of a line, as RFC 5322 (2.1.1) recommends; quoting adds two. */
const WIDTH = 76;
/** Least columns of a value, so that a time with its zone stays on one line. */
const VALUE_WIDTH = 64;

/** Breaks at spaces; a word longer than the line, as URLs are, stays whole. */
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

/** On a line of its own and never broken: mail programs make a link of it. */
const renderLink = ({ label, url }: MailLink) => `${label}: ${url}`;

const showValue = ({ value, url }: MailRow) => (url === undefined ? defangLine(value) : value);

function renderRows(rows: readonly MailRow[]): string {
  const indent = Math.max(...rows.map(({ label }) => label.length)) + 2;

  return rows
    .map((row) => {
      const [first = '', ...others] = wrapLine(showValue(row), Math.max(VALUE_WIDTH, WIDTH - indent));

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
  [wrap(`${defangLine(title)}: ${rows.map(showValue).join('; ')}`), renderLink(link)].join('\n');

const renderSection = ({ title, isCompact, items }: MailSection) =>
  [
    `${title}\n${'-'.repeat(title.length)}`,
    ...items.map(isCompact ? renderCompactItem : renderItem),
  ].join('\n\n');

/** The plain form: complete by itself, a stranger's words quoted and defanged. */
export function renderText(mail: MailContent): string {
  const { lead, highlight, rows, message, link, sections, note, noteLink } = mail;
  const facts = [...(highlight ? [highlight] : []), ...rows];
  const parts = [
    wrap(lead),
    ...(facts.length === 0 ? [] : [renderRows(facts)]),
    ...(message === null ? [] : [renderMessage(message)]),
    ...(link === null ? [] : [renderLink(link)]),
    ...sections.map(renderSection),
    wrap(note),
    ...(noteLink === null ? [] : [renderLink(noteLink)]),
  ];

  return `${parts.join('\n\n')}\n`;
}
