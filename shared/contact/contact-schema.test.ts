import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseContactRequest } from './contact-request.ts';
import { contactFieldNames, contactLimits, parseContactFields } from './contact-schema.ts';
import { industryValues } from './industry-options.ts';

/** Any code point, lone surrogates included. */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point));

const fields = { name: 'Ada', email: 'ada@example.org', company: 'Sweets' };
const readEmail = (email: string) => parseContactFields({ ...fields, email });

describe('the contact fields', () => {
  test('are trimmed, in NFC, with empty optional ones as null', () => {
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

  test('end their lines alike, whoever sent them', () => {
    const read = (message: string) => parseContactFields({ ...fields, message });

    expect(read('one\r\ntwo')).toEqual(read('one\ntwo'));
  });

  test.each([
    'ada@example.org',
    "o'neil+site@mail.example.co.uk",
    'ada@münchen.example',
    'a@b.co',
    'ada@xn--mnchen-3ya.example',
  ])('take the address %s', (email) => {
    expect(readEmail(email)).toMatchObject({ ok: true });
  });

  test.each([
    'ada',
    'ada@',
    '@example.org',
    'ada@example',
    'ada@-example.org',
    'ada@example..org',
    'ada @example.org',
    'ada@example.org, eve@example.org',
    'Ada <ada@example.org>',
    `${'a'.repeat(65)}@example.org`,
  ])('refuse the address %s', (email) => {
    expect(readEmail(email)).toMatchObject({ ok: false, errors: { email: expect.any(String) } });
  });

  test('that show nothing are missing, though they are not empty', () => {
    expect(parseContactFields({ ...fields, name: '\u200b', company: ' \u200b \u2060 ' })).toEqual({
      ok: false,
      errors: { name: 'Enter your full name.', company: 'Enter your company name.' },
    });
  });

  test('that are missing are asked for, one sentence each', () => {
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

describe('a contact request', () => {
  test('picks the known parts of the source and drops the rest', () => {
    const source = { utm_source: 'newsletter', referrer: 'https://example.net/', other: 'x' };

    expect(parseContactRequest({ ...fields, source })).toMatchObject({
      ok: true,
      value: { source: { utm_source: 'newsletter', referrer: 'example.net' } },
    });
    expect(parseContactRequest({ ...fields, source: 7 })).toMatchObject({
      ok: true,
      value: { source: null },
    });
  });

  test.each([
    [undefined, {}],
    ['text', {}],
    [null, {}],
    [['list'], {}],
    [{ honeypot: 1, filled_in_ms: '3', proof: 'x' }, {}],
    [{ honeypot: 'x', filled_in_ms: -1 }, { honeypot: 'x' }],
    [{ honeypot: ['', 'x'] }, { honeypot: 'x' }],
    [{ honeypot: '', filled_in_ms: 0.5, other: 1 }, { honeypot: '', filled_in_ms: 0.5 }],
    [{ filled_in_ms: 7, proof: { challenge: {}, solution: {} } }, { filled_in_ms: 7 }],
  ])('takes of the spam signals %j what can be parsed, and refuses for none', (spam, signals) => {
    const result = parseContactRequest({ ...fields, spam });

    expect(result).toMatchObject({ ok: true });
    expect(result.ok && result.value.spam).toEqual(signals);
  });

  test.each([
    ['2025-01-31T09:30:00Z', '2025-01-31T09:30:00.000Z'],
    ['2025-01-31T09:30:00.123+01:00', '2025-01-31T08:30:00.123Z'],
    ['2024-02-29T00:30:00+01:00', '2024-02-28T23:30:00.000Z'],
  ])('reads the time %s', (text, iso) => {
    expect(parseContactRequest({ ...fields, submitted_at: text })).toMatchObject({
      value: { submitted_at: new Date(iso) },
    });
  });

  const noDays = ['2025-13-31', '2025-02-30', '2025-02-29', '2025-04-31', '2025-01-00'];

  test.each([...noDays.map((day) => `${day}T09:30:00Z`), '0000-01-01T00:00:00Z', '2025-01-31', 'now'])(
    'refuses the time %s',
    (text) => {
      expect(parseContactRequest({ ...fields, submitted_at: text })).toMatchObject({
        ok: false,
        errors: { submitted_at: expect.any(String) },
      });
    },
  );
});

describe('whatever a body is', () => {
  const anyText = fc.string({ unit: anyCharacter, maxLength: 300 });
  /** Texts that are nearly right, among values of any kind. */
  const anyValue = fc.oneof(
    anyText,
    fc.constantFrom('Ada', ' Zoe\u0308 ', 'one\r\ntwo', '\u200b', '\ud800', 'x'.repeat(5_001)),
    fc.emailAddress(),
    fc.constantFrom(...industryValues),
    fc.anything(),
  );
  const anyBody = fc.oneof(
    fc.anything(),
    fc.jsonValue(),
    fc.record(
      Object.fromEntries(
        [...contactFieldNames, 'id', 'submitted_at', 'source', 'spam'].map((name) => [name, anyValue]),
      ),
      { requiredKeys: [] },
    ),
  );
  /** Bodies that are parsed, for the most part. */
  const goodBody = fc.record({
    name: anyText,
    email: fc.constantFrom('ada@example.org', ' ada@example.org\n', 'zoe\u0308@example.org'),
    company: anyText,
    phone: fc.option(anyText),
    industry: fc.option(fc.constantFrom(...industryValues)),
    message: fc.option(fc.string({ unit: anyCharacter, maxLength: 300 })),
    source: fc.anything(),
    spam: fc.anything(),
  });

  test('it is parsed, or refused with a sentence for each part', () => {
    fc.assert(
      fc.property(anyBody, (body) => {
        const result = parseContactRequest(body);
        if (result.ok) return;
        expect(Object.keys(result.errors).length).toBeGreaterThan(0);
        for (const sentence of Object.values(result.errors)) expect(sentence).toMatch(/^[A-Za-z_].*\.$/);
      }),
    );
  });

  test('what is parsed can be stored, and parsed again it is the same', () => {
    const goodOnes = goodBody.map(parseContactRequest).filter(({ ok }) => ok);

    fc.assert(
      fc.property(goodOnes, (result) => {
        if (!result.ok) throw new Error('It is filtered out.');
        const { submitted_at: _, ...value } = result.value;
        for (const name of ['name', 'email', 'company', 'phone', 'message'] as const) {
          const text = value[name] ?? '';
          expect([...text].length).toBeLessThanOrEqual(contactLimits[name].max);
          expect(text).toBe(text.normalize('NFC').trim());
          // PostgreSQL stores no NUL, and neither stores nor mails lone surrogates.
          expect(text).not.toMatch(/\0|\p{Cs}/u);
        }
        expect(value.name && value.email && value.company).toBeTruthy();
        expect(parseContactRequest(value)).toEqual(result);
      }),
    );
  });
});
