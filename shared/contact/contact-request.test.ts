import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseContactRequest } from './contact-request.ts';
import { contactFieldNames, contactLimits } from './contact-schema.ts';
import { industryOptions } from './industry-options.ts';

const fields = { name: 'Ada', email: 'ada@example.org', company: 'Sweets' };

describe('a contact request', () => {
  test('stores the known parts of the source and drops the rest', () => {
    const source = { utm_source: 'newsletter', referrer: 'https://example.net/', other: 'x' };

    expect(parseContactRequest({ ...fields, source })).toMatchObject({
      ok: true,
      value: { source: { utm_source: 'newsletter', referrer: 'example.net' } },
    });
    expect(parseContactRequest({ ...fields, source: { visited_paths: ['/', '/about?x'] } })).toMatchObject({
      ok: true,
      value: { source: null, visitedPaths: ['/', '/about'] },
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
  ])('accepts the valid parts of the spam signals %j and ignores the rest', (spam, signals) => {
    const result = parseContactRequest({ ...fields, spam });

    expect(result).toMatchObject({ ok: true });
    expect(result.ok && result.value.spam).toEqual(signals);
  });

  test.each([undefined, null, 7, 'text', true])('that is %j is rejected with one message', (body) => {
    expect(parseContactRequest(body)).toEqual({ ok: false, errors: { body: 'The body must be a JSON object.' } });
  });

  test('reports all errors together, in the fields and elsewhere', () => {
    const body = { ...fields, name: '', id: 'not-a-uuid', submitted_at: 'now' };

    expect(parseContactRequest(body)).toEqual({
      ok: false,
      errors: {
        name: 'Enter your full name.',
        id: 'id must be a UUID.',
        submitted_at: 'submitted_at must be a time like 2025-01-31T09:30:00Z.',
      },
    });
    expect(parseContactRequest({ ...body, name: 'Ada', submitted_at: null })).toEqual({
      ok: false,
      errors: { id: 'id must be a UUID.' },
    });
    expect(parseContactRequest({ ...fields, id: 7 })).toEqual({ ok: false, errors: { id: 'id must be a UUID.' } });
    expect(parseContactRequest({ ...fields, submitted_at: 7 })).toMatchObject({
      errors: { submitted_at: 'submitted_at must be a time like 2025-01-31T09:30:00Z.' },
    });
  });

  test('has a lower-case id, or none', () => {
    const id = '0198B7F0-6A3C-7C1E-9D52-3F0A6C1D2E4B';

    expect(parseContactRequest({ ...fields, id })).toMatchObject({ value: { id: id.toLowerCase() } });
    for (const none of [{}, { id: null, submitted_at: null }]) {
      expect(parseContactRequest({ ...fields, ...none })).toMatchObject({ value: { id: null, submitted_at: null } });
    }
  });

  test.each([
    ['2025-01-31T09:30:00Z', '2025-01-31T09:30:00.000Z'],
    ['2025-01-31T09:30:00.123+01:00', '2025-01-31T08:30:00.123Z'],
    ['2024-02-29T00:30:00+01:00', '2024-02-28T23:30:00.000Z'],
    ['2025-01-31t09:30z', '2025-01-31T09:30:00.000Z'],
    ['2025-01-31T09:30:00-0130', '2025-01-31T11:00:00.000Z'],
    ['2025-01-31T09:30:00.123456789Z', '2025-01-31T09:30:00.123Z'],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
  ])('reads the time %s', (text, iso) => {
    expect(parseContactRequest({ ...fields, submitted_at: text })).toMatchObject({
      value: { submitted_at: new Date(iso) },
    });
  });

  const invalidTimes = [
    ...['0000-01-01T00:00:00Z', '1969-12-31T23:59:59Z', '10000-01-01T00:00:00Z', '2025-01-31', 'now'],
    ...['at 2025-01-31T09:30:00Z', '2025-01-31T09:30:00Z.', '2025-01-31T09:30:00', '2025-01-31 09:30:00Z'],
    ...['2025-01-31T25:30:00Z', '2025-01-31T09:60:00Z', '2025-01-31T09:30:00.1234567890Z', '+2025-01-31T09:30:00Z'],
    // Outside the accepted years after conversion to UTC.
    ...['1970-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01'],
  ];
  const invalidDays = ['2025-13-31', '2025-02-30', '2025-02-29', '2025-04-31', '2025-01-00'];

  test.each([...invalidDays.map((day) => `${day}T09:30:00Z`), ...invalidTimes])(
    'rejects the time %s',
    (text) => {
      expect(parseContactRequest({ ...fields, submitted_at: text })).toMatchObject({
        ok: false,
        errors: { submitted_at: expect.any(String) },
      });
    },
  );
});

describe('any body', () => {
  /** Any code point, including lone surrogates. */
  const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point));
  const anyText = fc.string({ unit: anyCharacter, maxLength: 300 });
  /** Almost valid texts and values of any kind. */
  const anyValue = fc.oneof(
    anyText,
    fc.constantFrom('Ada', ' Zoe\u0308 ', 'one\r\ntwo', '\u200b', '\ud800', 'x'.repeat(5_001)),
    fc.emailAddress(),
    fc.constantFrom(...industryOptions.map(({ value }) => value)),
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
  /** Mostly valid bodies. */
  const goodBody = fc.record({
    name: anyText,
    email: fc.constantFrom('ada@example.org', ' ada@example.org\n', 'zoe\u0308@example.org'),
    company: anyText,
    phone: fc.option(anyText),
    industry: fc.option(fc.constantFrom(...industryOptions.map(({ value }) => value))),
    message: fc.option(fc.string({ unit: anyCharacter, maxLength: 300 })),
    source: fc.anything(),
    spam: fc.anything(),
  });

  test('is parsed, or rejected with a message for each invalid part', () => {
    fc.assert(
      fc.property(anyBody, (body) => {
        const result = parseContactRequest(body);
        if (result.ok) return;
        expect(Object.keys(result.errors).length).toBeGreaterThan(0);
        for (const sentence of Object.values(result.errors)) expect(sentence).toMatch(/^[A-Za-z_].*\.$/);
      }),
    );
  });

  test('parses to values that can be stored and that parse to themselves', () => {
    const goodOnes = goodBody.map(parseContactRequest).filter(({ ok }) => ok);

    fc.assert(
      fc.property(goodOnes, (result) => {
        if (!result.ok) throw new Error('The filter excludes it.');
        const { submitted_at: _, ...value } = result.value;
        for (const name of ['name', 'email', 'company', 'phone', 'message'] as const) {
          const text = value[name] ?? '';
          expect([...text].length).toBeLessThanOrEqual(contactLimits[name].max);
          expect(text).toBe(text.normalize('NFC').trim());
          // PostgreSQL rejects NUL. Lone surrogates can't be stored or mailed.
          expect(text).not.toMatch(/\0|\p{Cs}/u);
        }
        expect(value.name && value.email && value.company).toBeTruthy();
        expect(parseContactRequest(value)).toEqual(result);
      }),
    );
  });
});
