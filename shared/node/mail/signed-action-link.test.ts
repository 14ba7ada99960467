import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Day, Minute } from '../../time.ts';
import {
  findReader,
  markReader,
  readLinkTime,
  readLinkToken,
  signLinkToken,
  type LinkPurpose,
} from './signed-action-link.ts';

const id = '0198b7f0-6a3c-7c1e-9d52-3f0a6c1d2e4b';
const [oldSecret, newSecret] = ['o'.repeat(32), 'n'.repeat(32)];
const now = Date.UTC(2025, 10, 3);

test.each<[LinkPurpose, number]>([
  ['follow-up', 90 * Day],
  ['held', 90 * Day],
  ['newsletter-confirm', 30 * Day],
  ['trial', 5 * Minute],
])('a %s token is valid for %i ms', (purpose, age) => {
  const token = signLinkToken(purpose, id, [oldSecret], now);

  expect(readLinkToken(purpose, token, [oldSecret], now)).toBe(id);
  expect(readLinkToken(purpose, token, [oldSecret], now + age)).toBe(id);
  expect(readLinkToken(purpose, token, [oldSecret], now + age + 1)).toBeUndefined();
});

test('a token contains its creation time, to the second', () => {
  const token = signLinkToken('held', id, [oldSecret], now + 1_999);

  expect(readLinkTime(token)).toEqual(new Date(now + 1_000));
  expect(readLinkTime('no-token').getTime()).toBeNaN();
});

test('a token is signed with the first secret, and signing without a secret fails', () => {
  const token = signLinkToken('held', id, [newSecret, oldSecret], now);

  expect(readLinkToken('held', token, [newSecret], now)).toBe(id);
  expect(readLinkToken('held', token, [oldSecret], now)).toBeUndefined();
  expect(() => signLinkToken('held', id, [])).toThrow('no secret to sign with');
});

describe('a reader’s mark in a link', () => {
  const [ada, bob] = ['ada@example.com', 'bob@example.com'];
  const people = [ada, bob];
  const readers = [true, false].flatMap((isKnown) => [null, ...people].map((address) => ({ address, isKnown })));
  const unknown = { address: null, isKnown: false };
  const token = signLinkToken('follow-up', id, [oldSecret], now);

  test.each(readers)('identifies %j, even after the secret is changed', (reader) => {
    const mark = markReader(token, reader, [oldSecret]);

    expect(findReader(token, mark, people, [oldSecret])).toEqual(reader);
    expect(findReader(token, mark, people, [newSecret, oldSecret])).toEqual(reader);
    expect(markReader(token, reader, [oldSecret, newSecret])).toBe(mark);
  });

  test('has 16 digits and differs for each reader and link', () => {
    const links = [token, signLinkToken('follow-up', id, [oldSecret], now + Day)];
    const marks = links.flatMap((link) => readers.map((reader) => markReader(link, reader, [oldSecret])));

    expect(new Set(marks).size).toBe(12);
    for (const each of marks) expect(each).toMatch(/^[0-9a-f]{16}$/);
  });

  test('never changes between versions, because links in mails are valid for months', () => {
    const compute = (text: string) => createHmac('sha256', oldSecret).update(text).digest('hex').slice(0, 16);

    expect(markReader(token, { address: ada, isKnown: true }, [oldSecret])).toBe(compute(`known ${token} ${ada}`));
    expect(markReader(token, { address: null, isKnown: false }, [oldSecret])).toBe(compute(`named ${token} `));
  });

  test('is invalid if it belongs to another link, another secret or a former address', () => {
    const mark = markReader(token, { address: bob, isKnown: true }, [oldSecret]);
    const other = signLinkToken('held', id, [oldSecret], now);

    for (const invented of ['', mark.slice(1), mark.toUpperCase(), `${mark}0`, 'undefined']) {
      expect(findReader(token, invented, people, [oldSecret])).toEqual(unknown);
    }
    expect(findReader(other, mark, people, [oldSecret])).toEqual(unknown);
    expect(findReader(token, mark, people, [newSecret])).toEqual(unknown);
    expect(findReader(token, mark, [ada, 'cora@example.com'], [oldSecret])).toEqual(unknown);
    expect(findReader(token, mark, people, [])).toEqual(unknown);
  });

  test('isn’t needed to identify the reader if sales has only one address', () => {
    const mark = markReader(token, { address: null, isKnown: true }, [oldSecret]);

    expect(findReader(token, '', [ada], [oldSecret])).toEqual({ address: ada, isKnown: false });
    expect(findReader(token, mark, [ada], [oldSecret])).toEqual({ address: ada, isKnown: true });
  });
});

test('an unsubscribe token never expires', () => {
  const token = signLinkToken('newsletter-unsubscribe', id, [oldSecret], now);

  expect(readLinkToken('newsletter-unsubscribe', token, [oldSecret], now + 9_999 * Day)).toBe(id);
});

test('a token is valid for one purpose only', () => {
  const purposes: LinkPurpose[] = ['follow-up', 'newsletter-confirm', 'newsletter-unsubscribe', 'trial'];

  for (const made of purposes) {
    const token = signLinkToken(made, id, [oldSecret], now);
    for (const asked of purposes) {
      expect(readLinkToken(asked, token, [oldSecret], now)).toBe(made === asked ? id : undefined);
    }
  }
});

test('a token is valid while its secret is configured', () => {
  const token = signLinkToken('follow-up', id, [oldSecret], now);

  expect(readLinkToken('follow-up', token, [newSecret, oldSecret], now)).toBe(id);
  expect(readLinkToken('follow-up', token, [newSecret], now)).toBeUndefined();
});

test('a changed, shortened or invented token is invalid', () => {
  const token = signLinkToken('follow-up', id, [oldSecret], now);

  for (const forged of [
    token.replace('0198', '0199'),
    token.slice(0, -1),
    `${token}0`,
    token.toUpperCase(),
    '',
    `${id}..`,
  ]) {
    expect(readLinkToken('follow-up', forged, [oldSecret], now)).toBeUndefined();
  }
});

describe('any token', () => {
  const purposes = ['follow-up', 'held', 'newsletter-confirm', 'newsletter-unsubscribe'] as const;
  const anyPurpose = fc.constantFrom(...purposes);
  const anyId = fc.uuid();
  const anySecret = fc.string({ minLength: 1 });
  /** Milliseconds since 1970, up to the year 2200. */
  const anyTime = fc.integer({ min: 0, max: Date.UTC(2200) });

  test('is valid only for its purpose and secret', () => {
    fc.assert(
      fc.property(anyPurpose, anyPurpose, anyId, anySecret, anySecret, anyTime, (made, asked, ...rest) => {
        const [subject, secret, other, time] = rest;
        const token = signLinkToken(made, subject, [secret], time);

        expect(readLinkToken(made, token, [other, secret], time)).toBe(subject);
        expect(readLinkToken(asked, token, [secret], time)).toBe(made === asked ? subject : undefined);
        expect(readLinkToken(made, token, [other], time)).toBe(secret === other ? subject : undefined);
      }),
    );
  });

  test('is invalid if any character is changed', () => {
    fc.assert(
      fc.property(anyPurpose, anyId, anyTime, fc.nat(), fc.string({ unit: 'binary' }), (purpose, ...rest) => {
        const [subject, time, position, put] = rest;
        const token = signLinkToken(purpose, subject, [oldSecret], time);
        const at = position % token.length;
        const changed = token.slice(0, at) + put + token.slice(at + 1);
        fc.pre(changed !== token);

        expect(readLinkToken(purpose, changed, [oldSecret], time)).toBeUndefined();
      }),
    );
  });

  test('is invalid unless it was signed', () => {
    const likeToken = fc
      .tuple(anyId, fc.stringMatching(/^[0-9a-z]{1,9}$/), fc.stringMatching(/^[0-9a-f]{64}$/))
      .map((parts) => parts.join('.'));

    fc.assert(
      fc.property(anyPurpose, fc.oneof(fc.string({ unit: 'binary' }), likeToken), (purpose, text) => {
        expect(readLinkToken(purpose, text, [oldSecret], now)).toBeUndefined();
      }),
    );
  });
});
