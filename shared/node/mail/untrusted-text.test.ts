import { expect, test } from 'vitest';
import { cleanText, defang, defangLine } from './untrusted-text.ts';

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
])('%s can’t become a link', (text, expected) => {
  expect(defang(text)).toBe(expected);
});

test.each([
  'We pay 3.5 % of 1.234.567 € at 9:30.',
  'Note: e.g. the U.S. plant, i.e. No. 4 ... and so on.',
  'Tel: +1 555 0100',
  'five @ ten',
  'Name:value <b>bold</b> & more',
])('%s stays as it is', (text) => {
  expect(defang(text)).toBe(text);
});

test('what is hidden in a word doesn’t save it', () => {
  expect(defang('evil\u200b.\u2060com')).toBe('evil[.]com');
});

test('characters that disguise are taken out; joiners of names and emoji stay', () => {
  expect(cleanText('a\u202egnp.exe\u202c\u0000\u0007b\u{e0041}')).toBe('agnp.exeb');
  expect(cleanText('می‌خواهم 👩‍🚀')).toBe('می‌خواهم 👩‍🚀');
  expect(cleanText('one\r\ntwo\rthree\u2028four\tfive')).toBe('one\ntwo\nthree\nfour\tfive');
  expect(defangLine('one\n  two ')).toBe('one two');
});
