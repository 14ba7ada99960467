import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeHtml } from '../../escape-html.ts';
import { cleanText, defang, defangLine, toHeaderText } from './untrusted-text.ts';

/** Any code point, including lone surrogates. */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point));

test.each([
  ['https://evil.example/login?a=b', 'https[:]//evil[.]example/login?a=b'],
  ['see evil.com.', 'see evil[.]com.'],
  ['WWW.1und1.de', 'WWW[.]1und1[.]de'],
  ['www.7', 'www[.]7'],
  ['sub.domain.co.uk/x', 'sub[.]domain[.]co[.]uk/x'],
  ['bücher.рф and пример.xn--p1ai', 'bücher[.]рф and пример[.]xn--p1ai'],
  ['ideographic。com', 'ideographic[。]com'],
  ['tom@example.org', 'tom[@]example[.]org'],
  ['mailto:tom and Tel:+155', 'mailto[:]tom and Tel[:]+155'],
  ['http://192.168.10.1:8080/', 'http[:]//192[.]168[.]10[.]1:8080/'],
  [String.raw`\\server\share`, String.raw`[\\]server\share`],
  ['javascript://x', 'javascript[:]//x'],
  ['10.0.0.1 or 10.0.0.2', '10[.]0[.]0[.]1 or 10[.]0[.]0[.]2'],
  [String.raw`\\1\c$ and \\é\x`, String.raw`[\\]1\c$ and [\\]é\x`],
])('%s can’t become a link', (text, expected) => {
  expect(defang(text)).toBe(expected);
});

test.each([
  'We pay 3.5 % of 1.234.567 € at 9:30.',
  'Note: e.g. the U.S. plant, i.e. No. 4 ... and so on.',
  'Tel: +1 555 0100',
  'five @ ten',
  'Name:value <b>bold</b> & more',
  String.raw`a \\ b, or \\-x`,
])('%s is unchanged', (text) => {
  expect(defang(text)).toBe(text);
});

test('invisible characters don’t protect a link from defanging', () => {
  expect(defang('evil\u200b.\u2060com')).toBe('evil[.]com');
});

test('disguising characters are removed, but joiners in words and emoji are kept', () => {
  expect(cleanText('a\u202egnp.exe\u202c\u0000\u0007b\u{e0041}')).toBe('agnp.exeb');
  expect(cleanText('می‌خواهم 👩‍🚀')).toBe('می‌خواهم 👩‍🚀');
  expect(cleanText('one\r\ntwo\rthree\u2028four\tfive')).toBe('one\ntwo\nthree\nfour\tfive');
  expect(defangLine('one\n  two ')).toBe('one two');
});

test('in a header, control characters become spaces and encoded words are broken', () => {
  expect(toHeaderText('Ada\r\nBcc: eve\u202e\u2028x')).toBe('Ada  Bcc: eve  x');
  expect(toHeaderText('=?utf-8?q?=41?= a=b?')).toBe('= ?utf-8?q?=41?= a=b?');
  expect(toHeaderText('Ada Example')).toBe('Ada Example');
});

test('in HTML, the five markup characters become entities', () => {
  expect(escapeHtml(`<a href="x" title='y'>&lt;`)).toBe('&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;lt;');
});

describe('any text', () => {
  const anyText = fc
    .array(
      fc.oneof(
        fc.constantFrom('www', '.', '。', '@', '://', ':', 'mailto', 'tel', '\\\\', 'example', 'com', 'x1', '10', ' '),
        fc.constantFrom('\u200b', '\u202e', '\u2060', '\r\n', '\n', '\t', '\0', '=?', '?=', '<', '>', '&', '"', "'"),
        fc.string({ unit: anyCharacter, maxLength: 3 }),
      ),
      { maxLength: 10 },
    )
    .map((parts) => parts.join(''));

  test('contains nothing that can become a link', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const shown of [defang(text), defangLine(text)]) {
          expect(shown).not.toMatch(/:\/\/|\S@(?=[^\]\s])|\bwww[.。．｡]/iu);
          expect(shown).not.toMatch(/[\p{L}\p{N}][.。．｡]\p{L}{2}/u);
          expect(shown).not.toMatch(/\b(?:mailto|tel|sms):\S/i);
          expect(shown).not.toMatch(/\d\.\d+\.\d+\.\d/);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('stays on one line, and has no control characters or encoded words in a header', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(defangLine(text)).not.toMatch(/[\r\n\u2028\u2029]/);
        expect(toHeaderText(text)).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]|=\?/u);
      }),
      { numRuns: 1_000 },
    );
  });

  test('contains no markup once escaped, and loses no text', () => {
    const entities = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };

    fc.assert(
      fc.property(anyText, (text) => {
        const escaped = escapeHtml(text);
        const read = escaped.replace(
          /&(?:lt|gt|quot|#39|amp);/g,
          (entity) => entities[entity as keyof typeof entities],
        );

        expect(escaped).not.toMatch(/[<>"']|&(?!(?:lt|gt|quot|#39|amp);)/);
        expect(read).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });
});
