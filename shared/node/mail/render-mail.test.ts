import { describe, expect, test } from 'vitest';
import type { MailContent } from './mail-content.ts';
import { fitUnderClippingLimit } from './render-html.ts';
import { renderMail } from './render-mail.ts';

/** A mail with only the required parts. */
const bare: MailContent = {
  siteName: 'A & B',
  subject: 'New request',
  preview: 'Ada asks.',
  heading: 'A new request',
  lead: 'Somebody asks.',
  highlight: null,
  rows: [],
  message: null,
  link: null,
  sections: [],
  note: 'Sent by the site.',
  noteLink: null,
};

const link = { label: 'Open', url: 'https://site.example/open?a=1&b=2' };
const item = {
  title: 'Eve <evil.example>',
  rows: [
    { label: 'Email', value: 'eve@evil.example' },
    { label: 'Company', value: 'www.evil.example & Sons' },
  ],
  link,
};

const render = (changes: Partial<MailContent> = {}) => renderMail({ ...bare, ...changes });
const renderText = (changes: Partial<MailContent>) => render(changes).text;

const entities: Readonly<Record<string, string>> = {
  ...{ '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&', '&nbsp;': '' },
};

/** Returns the visible text of an HTML part, line by line. */
const readHtml = (html: string): string[] =>
  html
    .slice(html.indexOf('<body'))
    .replace(/<br>/g, '\n')
    .replace(/<\/(?:p|h1|h2|div|th|td|li)>/g, '$&\n')
    .replace(/<[^>]*>/g, '')
    .replace(/&(?:lt|gt|quot|#39|amp|nbsp);/g, (entity) => entities[entity] ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const listLinks = (html: string): string[] => [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, url = '']) => url);

describe('a mail', () => {
  test('leaves no trace of missing parts', () => {
    const { subject, text, html } = render();

    expect(subject).toBe('New request');
    expect(text).toBe('Somebody asks.\n\nSent by the site.\n');
    expect(readHtml(html)).toEqual(['Ada asks.', 'A & B', 'A new request', 'Somebody asks.', 'Sent by the site.']);
    expect(html).toContain('<title>New request</title>');
    expect(listLinks(html)).toEqual([]);
    expect(html).not.toMatch(/<(?:ol|ul|h2|th)\b/);
  });

  test('has a one-line subject without disguising characters', () => {
    expect(render({ subject: 'New\r\n request:\t\u202eAda ' }).subject).toBe('New request: Ada ');
  });

  test('wraps text at 76 columns, but never within a word or a link', () => {
    const word = 'x'.repeat(37);
    const url = `https://site.example/${'x'.repeat(90)}`;

    expect(renderText({ lead: `${word} ${word}x ${word}`, note: url, link: { label: word, url } })).toBe(
      `${word} ${word}x\n${word}\n\n${word}: ${url}\n\n${url}\n`,
    );
    expect(renderText({ lead: `${word}x ${word}xy`, note: 'x'.repeat(77) })).toBe(
      `${word}x\n${word}xy\n\n${'x'.repeat(77)}\n`,
    );
  });

  test('lists its values, with the highlight first', () => {
    const rows = [
      { label: 'Name', value: 'Ada\n"Countess" Example' },
      { label: 'Company', value: `${'long '.repeat(14)}end` },
    ];
    const { text, html } = render({ highlight: { label: 'Answer by', value: '17:00', isUrgent: false }, rows });

    expect(text).toBe(
      [
        'Somebody asks.\n',
        'Answer by: 17:00',
        'Name:      Ada "Countess" Example',
        `Company:   ${'long '.repeat(13).trim()}`,
        '           long end\n',
        'Sent by the site.\n',
      ].join('\n'),
    );
    expect(readHtml(html)).toEqual([
      ...['Ada asks.', 'A & B', 'A new request', 'Somebody asks.', 'Answer by', '17:00'],
      ...['Name', 'Ada "Countess" Example', 'Company', `${'long '.repeat(14)}end`, 'Sent by the site.'],
    ]);
    expect(html).toContain('<td class="panel"');
    expect(html).not.toContain('<td class="urgent"');
    const urgent = render({ highlight: { label: 'Answer by', value: '17:00', isUrgent: true } });
    expect(urgent.html).toContain('<td class="urgent"');
    expect(urgent.text).toContain('\n\nAnswer by: 17:00\n\n');
  });

  test('quotes a message line by line, without links or markup', () => {
    const message = `See www.evil.example${' '.repeat(76)}\n\n<b>${'long '.repeat(15)}</b>`;
    const { text, html } = render({ message });

    expect(text).toContain(
      [
        '\n\nMessage:',
        '> See www[.]evil[.]example',
        '>',
        `> <b>${'long '.repeat(14).trim()}`,
        '> long </b>\n\n',
      ].join('\n'),
    );
    expect(html).toContain(`">See www[.]evil[.]example${' '.repeat(76)}<br><br>&lt;b&gt;${'long '.repeat(15)}&lt;/b&gt;</td>`);
    expect(readHtml(html)).toContain('Message');
  });

  test('defangs values from visitors, but not from the site', () => {
    const value = '<i>https://evil.example</i>';
    const own = { label: 'Site', value: 'https://site.example', isTrusted: true } as const;
    const mail = render({
      preview: value,
      rows: [{ label: 'Name', value }, own, { label: 'Email', value: 'ada@site.example', url: 'mailto:ada@site.example' }],
    });

    expect(mail.text).toContain(
      [
        'Name:  <i>https[:]//evil[.]example</i>',
        'Site:  https://site.example',
        'Email: ada@site.example\n',
      ].join('\n'),
    );
    expect(mail.html).not.toMatch(/<i>|evil\.example/);
    expect(readHtml(mail.html)).toEqual(
      expect.arrayContaining(['<i>https[:]//evil[.]example</i>', 'https://site.example', 'ada@site.example']),
    );
    expect(listLinks(mail.html)).toEqual(['mailto:ada@site.example']);
    expect(mail.html.match(/<span dir="auto">/g)).toHaveLength(2);
  });

  test('indents the second and later lines of a list item in the text', () => {
    const items = [`${'long '.repeat(14)}ends`, 'short'];

    expect(renderText({ lists: [{ title: 'Next', isSequence: true, items }] })).toContain(
      ['Next:', `1. ${'long '.repeat(14).trim()}`, '   ends', '2. short\n'].join('\n'),
    );
  });

  test('ends with the action, the note and the note’s link', () => {
    const noteLink = { label: 'Unsubscribe', url: 'https://site.example/leave' };
    const { text, html } = render({ link, noteLink });

    expect(text).toBe(
      'Somebody asks.\n\nOpen: https://site.example/open?a=1&b=2\n\nSent by the site.\n\n' +
        'Unsubscribe: https://site.example/leave\n',
    );
    expect(listLinks(html)).toEqual(['https://site.example/open?a=1&amp;b=2', 'https://site.example/leave']);
    expect(readHtml(html).slice(-2)).toEqual(['Open', 'Sent by the site. Unsubscribe']);
  });
});

describe('a mail about several requests', () => {
  const section = { title: 'Late', isCompact: false, items: [item, item] };

  test('shows each request with its defanged values and its link', () => {
    const { text, html } = render({ sections: [section] });
    const lines = [
      'Eve <evil[.]example>',
      'Email:   eve[@]evil[.]example',
      'Company: www[.]evil[.]example & Sons',
      'Open: https://site.example/open?a=1&b=2',
    ].join('\n');

    expect(text).toBe(`Somebody asks.\n\nLate\n----\n\n${lines}\n\n${lines}\n\nSent by the site.\n`);
    expect(readHtml(html).slice(4, 9)).toEqual([
      ...['Late', 'Eve <evil[.]example>', 'Email: eve[@]evil[.]example'],
      ...['Company: www[.]evil[.]example & Sons', 'Open'],
    ]);
    expect(html).not.toContain('evil.example');
    expect(listLinks(html)).toEqual([1, 2].map(() => 'https://site.example/open?a=1&amp;b=2'));
  });

  test('shows each request on one line if the section is compact', () => {
    const { text, html } = render({ sections: [{ ...section, isCompact: true }] });
    const line = 'Eve <evil[.]example>: eve[@]evil[.]example; www[.]evil[.]example & Sons';

    expect(text).toContain(
      ['\n\nLate\n----', `${line}\nOpen: ${link.url}`, `${line}\nOpen: ${link.url}`, 'Sent'].join('\n\n'),
    );
    expect(readHtml(html).slice(4, -1)).toEqual(['Late', `${line}. Open`, `${line}. Open`]);
    expect(html.match(/<li /g)).toHaveLength(2);
    expect(html).not.toContain('evil.example');
  });

  test('shows as many requests as fit within 100,000 bytes, because Gmail clips longer mails', () => {
    const write = (count: number) => {
      expect(count).toBeLessThanOrEqual(200);

      return { ...bare, message: 'x'.repeat(1_000 * count) };
    };
    const sizeOf = (mail: MailContent) => renderMail(mail).html.length;

    const fitted = fitUnderClippingLimit(200, write);
    expect(sizeOf(fitted)).toBeGreaterThan(99_000);
    expect(sizeOf(fitted)).toBeLessThanOrEqual(100_000);
    expect(fitUnderClippingLimit(3, write)).toEqual(write(3));
    expect(fitUnderClippingLimit(1, (count) => write(count + 101))).toEqual(write(101));
  });
});

describe('a mail’s chart', () => {
  const chart = {
    title: 'By site',
    columns: ['Site', 'Requests', 'Of them contacted'],
    bars: [
      { label: 'evil.example', value: 8, note: '50 %' },
      { label: '<b>', value: 2, note: '0 %' },
      { label: 'tiny', value: 0.01, note: '-' },
      { label: 'none', value: 0, note: '-' },
    ],
  } as const;

  test('shows the values as text, with visitors’ labels defanged', () => {
    const { text, html } = render({ charts: [chart] });

    expect(text).toContain(
      [
        '\n\nBy site\n-------\n',
        'evil[.]example: 8 (of them contacted: 50 %)',
        '<b>:            2 (of them contacted: 0 %)',
        'tiny:           0.01 (of them contacted: -)',
        'none:           0 (of them contacted: -)\n\n',
      ].join('\n'),
    );
    expect(readHtml(html).slice(4, 11)).toEqual([
      ...['By site', 'Site', 'Requests', 'Of them contacted'],
      ...['evil[.]example', '8', '50 %'],
    ]);
    expect(html).not.toContain('<b>');
  });

  test('lets our own addresses wrap after the @', () => {
    const bars = [{ label: 'ada@site.example', isTrusted: true, value: 1, note: '-' } as const];

    expect(render({ charts: [{ ...chart, bars }] }).html).toContain('ada@<wbr>site.example');
  });

  test('scales bars to the longest one, with a minimum of 1%, and draws no bar for zero', () => {
    const { html } = render({ charts: [chart] });

    // The longest bar fills 75% of its cell, which leaves room for the number.
    expect([...html.matchAll(/<td class="bar" [^>]*width="([^"]*)"/g)].map(([, width]) => width)).toEqual([
      ...['75%', '19%', '1%'],
    ]);
  });
});
