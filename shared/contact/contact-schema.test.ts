import { describe, expect, test } from 'vitest';
import { contactFieldNames, getFieldTitle, parseContactFields, writeCount } from './contact-schema.ts';

const fields = { name: 'Ada', email: 'ada@example.org', company: 'Sweets' };
const readEmail = (email: string) => parseContactFields({ ...fields, email });

describe('the contact fields', () => {
  test('are trimmed, in NFC, and null if optional and empty', () => {
    expect(
      parseContactFields({
        name: ' Zoe\u0308 ',
        email: ' ada@example.org\n',
        company: 'Sweets',
        phone: '  ',
        industry: '',
        message: null,
      }),
    ).toEqual({
      ok: true,
      value: {
        name: 'Zo\u00eb',
        email: 'ada@example.org',
        company: 'Sweets',
        phone: null,
        industry: null,
        message: null,
      },
    });
  });

  test('have the same line endings from scripts and forms', () => {
    const read = (message: string) => parseContactFields({ ...fields, message });

    expect(read('one\r\ntwo\r\n\r\nthree')).toEqual(read('one\ntwo\n\nthree'));
    // No CR remains, because the CSV export uses CR only between rows.
    expect(read('one\r\r\ntwo')).toEqual(read('one\ntwo'));
    expect(read('a\r\n'.repeat(2_500))).toMatchObject({ ok: true });
  });

  test('accept combining marks of any language, but not dozens in a row', () => {
    const read = (name: string) => parseContactFields({ ...fields, name });

    expect(read(`Ada${'\u0301'.repeat(30)}`)).toMatchObject({ ok: true });
    expect(read(`Ada${'\u0301'.repeat(31)}`)).toEqual({
      ok: false,
      errors: { name: 'Full name contains characters that can’t be used.' },
    });
  });

  test.each([
    'ada@example.org',
    "o'neil+site@mail.example.co.uk",
    'ada@münchen.example',
    'a@b.co',
    'ada@xn--mnchen-3ya.example',
    // Some scripts write vowels as marks. These domains are Indian and Thai.
    'ada@\u0909\u0926\u093e\u0939\u0930\u0923.\u092d\u093e\u0930\u0924',
    'ada@\u0e17\u0e35\u0e48\u0e1b\u0e23\u0e36\u0e01\u0e29\u0e32.\u0e44\u0e17\u0e22',
  ])('accept the address %s', (email) => {
    expect(readEmail(email)).toMatchObject({ ok: true });
  });

  test.each([
    'ada',
    'ada@',
    '@example.org',
    'ada@example',
    'ada@-example.org',
    'ada@example..org',
    'ada@\u0301example.org',
    // Invisible marks.
    'ada@example\ufe0f.org',
    'ada@ex\u034fample.org',
    'ada @example.org',
    'ada@example.org, eve@example.org',
    'Ada <ada@example.org>',
    `${'a'.repeat(65)}@example.org`,
  ])('reject the address %s', (email) => {
    expect(readEmail(email)).toMatchObject({ ok: false, errors: { email: expect.any(String) } });
  });

  test('count as missing if they contain only invisible characters', () => {
    for (const company of [' \u200b \u2060 ', '\u3164', '\uffa0\u115f', '\u2800', '\ufe0f']) {
      expect(parseContactFields({ ...fields, name: '\u200b', company })).toEqual({
        ok: false,
        errors: { name: 'Enter your full name.', company: 'Enter your company name.' },
      });
    }
  });

  test.each([
    ['name', 200],
    ['email', 254],
    ['company', 200],
    ['phone', 40],
    ['message', 5_000],
  ] as const)('accept a %s of at most %i characters, inside or outside the BMP', (name, max) => {
    // Three labels of maximum length.
    const domain = `@${`${'x'.repeat(63)}.`.repeat(3)}example`;
    const makeText = (length: number) =>
      name === 'email' ? `${'a'.repeat(length - domain.length)}${domain}` : '😀'.repeat(length);

    expect(parseContactFields({ ...fields, [name]: makeText(max) })).toMatchObject({ ok: true });
    expect(parseContactFields({ ...fields, [name]: makeText(max + 1) })).toEqual({
      ok: false,
      errors: { [name]: `${getFieldTitle(name)} can be at most ${max.toLocaleString('en')} characters long.` },
    });
  });

  test.each([
    ...['name', 'company', 'phone', 'industry'].flatMap((name) =>
      ['a\0b', 'a\nb', 'a\tb', 'a\u0085b', 'a\ud800b'].map((text) => [name, text]),
    ),
    ...['a\0b', 'a\u001bb', 'a\u0085b', 'a\udc00b'].map((text) => ['message', text]),
  ])('reject a %s like %j, which can’t be stored or put in a mail header', (name = '', text) => {
    expect(parseContactFields({ ...fields, [name]: text })).toMatchObject({
      ok: false,
      errors: { [name]: expect.stringContaining('contains characters that can’t be used.') },
    });
  });

  test('preserve line breaks and tabs in a message', () => {
    const message = 'one\ttwo\nthree\rfour';

    expect(parseContactFields({ ...fields, message })).toMatchObject({ value: { message } });
  });

  test('preserve invisible characters next to visible ones', () => {
    const name = 'Ada\u200b Example';

    expect(parseContactFields({ ...fields, name })).toMatchObject({ value: { name } });
    expect(parseContactFields({ ...fields, name: `\u200bAda` })).toMatchObject({ value: { name: '\u200bAda' } });
    expect(parseContactFields({ ...fields, name: `Ada\u200b` })).toMatchObject({ value: { name: 'Ada\u200b' } });
  });

  test.each(['Healthcare', 'health', 'toString'])('reject the industry %s', (industry) => {
    expect(parseContactFields({ ...fields, industry })).toEqual({
      ok: false,
      errors: { industry: 'Choose an industry from the list.' },
    });
  });

  test.each(contactFieldNames)('reject a %s that isn’t text, with one message', (name) => {
    for (const value of [7, true, {}, ['Ada']]) {
      expect(parseContactFields({ ...fields, [name]: value })).toEqual({
        ok: false,
        errors: { [name]: `${getFieldTitle(name)} must be text.` },
      });
    }
  });

  test('have one message each if they are missing', () => {
    expect(parseContactFields({})).toEqual({
      ok: false,
      errors: {
        name: 'Enter your full name.',
        email: 'Enter your business email.',
        company: 'Enter your company name.',
      },
    });
  });
});

test.each([
  [7, '7'],
  [999, '999'],
  [5_000, '5,000'],
  [1_234_567, '1,234,567'],
])('the count %i is formatted as %s', (count, text) => {
  expect(writeCount(count)).toBe(text);
});
