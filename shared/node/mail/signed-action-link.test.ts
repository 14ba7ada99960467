import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Day } from '../../time.ts';
import {
  findReader,
  markReader,
  readLinkTime,
  readLinkToken,
  signLinkToken,
  type LinkPurpose,
} from './signed-action-link.ts';

/** Any code point, lone surrogates included. */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point));

const id = '0198b7f0-6a3c-7c1e-9d52-3f0a6c1d2e4b';
const [oldSecret, newSecret] = ['o'.repeat(32), 'n'.repeat(32)];
const now = Date.UTC(2025, 10, 3);

test.each<[LinkPurpose, number]>([
  ['follow-up', 90],
  ['held', 90],
  ['newsletter-confirm', 30],
])('a %s token names its row for %i days', (purpose, days) => {
  const token = signLinkToken(purpose, id, [oldSecret], now);

  expect(readLinkToken(purpose, token, [oldSecret], now)).toBe(id);
  expect(readLinkToken(purpose, token, [oldSecret], now + days * Day)).toBe(id);
  expect(readLinkToken(purpose, token, [oldSecret], now + days * Day + 1)).toBeUndefined();
});

test('a token tells the second in which it was made', () => {
  const token = signLinkToken('held', id, [oldSecret], now + 1_999);

  expect(readLinkTime(token)).toEqual(new Date(now + 1_000));
  expect(readLinkTime('no-token').getTime()).toBeNaN();
});

test('a token is signed with the first of the secrets', () => {
  const token = signLinkToken('held', id, [newSecret, oldSecret], now);

  expect(readLinkToken('held', token, [newSecret], now)).toBe(id);
  expect(readLinkToken('held', token, [oldSecret], now)).toBeUndefined();
});

describe('the mark of who reads a link', () => {
  const [ada, bob] = ['ada@example.com', 'bob@example.com'];
  const people = [ada, bob];
  const readers = [true, false].flatMap((isKnown) => [null, ...people].map((address) => ({ address, isKnown })));
  const unknown = { address: null, isKnown: false };
  const token = signLinkToken('follow-up', id, [oldSecret], now);

  test.each(readers)('names %j, also after a change of the secret', (reader) => {
    const mark = markReader(token, reader, [oldSecret]);

    expect(findReader(token, mark, people, [oldSecret])).toEqual(reader);
    expect(findReader(token, mark, people, [newSecret, oldSecret])).toEqual(reader);
    expect(markReader(token, reader, [oldSecret, newSecret])).toBe(mark);
  });

  test('has 16 digits, others for each reader and each link', () => {
    const links = [token, signLinkToken('follow-up', id, [oldSecret], now + Day)];
    const marks = links.flatMap((link) => readers.map((reader) => markReader(link, reader, [oldSecret])));

    expect(new Set(marks).size).toBe(12);
    for (const each of marks) expect(each).toMatch(/^[0-9a-f]{16}$/);
  });

  test('that is invented, of another link or secret, or of who has left makes nobody known', () => {
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

  test('is not needed to name the only address of sales, but to know the reader', () => {
    const mark = markReader(token, { address: null, isKnown: true }, [oldSecret]);

    expect(findReader(token, '', [ada], [oldSecret])).toEqual({ address: ada, isKnown: false });
    expect(findReader(token, mark, [ada], [oldSecret])).toEqual({ address: ada, isKnown: true });
  });
});

test('a token to unsubscribe works for ever', () => {
  const token = signLinkToken('newsletter-unsubscribe', id, [oldSecret], now);

  expect(readLinkToken('newsletter-unsubscribe', token, [oldSecret], now + 9_999 * Day)).toBe(id);
});

test('a token made for one purpose is none for another', () => {
  const purposes: LinkPurpose[] = ['follow-up', 'newsletter-confirm', 'newsletter-unsubscribe', 'trial'];

  for (const made of purposes) {
    const token = signLinkToken(made, id, [oldSecret], now);
    for (const asked of purposes) {
      expect(readLinkToken(asked, token, [oldSecret], now)).toBe(made === asked ? id : undefined);
    }
  }
});

test('a link in a mail sent by the first version still works', () => {
  const content = `${id}.${(now / 1_000).toString(36)}`;
  const signature = createHmac('sha256', oldSecret).update(`follow-up ${content}`).digest('hex');

  expect(readLinkToken('follow-up', `${content}.${signature}`, [oldSecret], now)).toBe(id);
});

test('a token stays valid while its secret is one of those in use', () => {
  const token = signLinkToken('follow-up', id, [oldSecret], now);

  expect(readLinkToken('follow-up', token, [newSecret, oldSecret], now)).toBe(id);
  expect(readLinkToken('follow-up', token, [newSecret], now)).toBeUndefined();
});

test('a changed, shortened or invented token names nothing', () => {
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

describe('whatever a token names', () => {
  const purposes = ['follow-up', 'held', 'newsletter-confirm', 'newsletter-unsubscribe'] as const;
  const anyPurpose = fc.constantFrom(...purposes);
  const anyId = fc.uuid();
  const anySecret = fc.string({ minLength: 1 });
  /** Milliseconds: until the year 2200. */
  const anyTime = fc.integer({ min: 0, max: Date.UTC(2200) });

  test('it is read for its purpose and with its secret, and for no other', () => {
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

  test('a change of any character makes it name nothing', () => {
    fc.assert(
      fc.property(anyPurpose, anyId, anyTime, fc.nat(), fc.string({ unit: anyCharacter }), (purpose, ...rest) => {
        const [subject, time, position, put] = rest;
        const token = signLinkToken(purpose, subject, [oldSecret], time);
        const at = position % token.length;
        const changed = token.slice(0, at) + put + token.slice(at + 1);
        fc.pre(changed !== token);

        expect(readLinkToken(purpose, changed, [oldSecret], time)).toBeUndefined();
      }),
    );
  });

  test('a text that nobody signed names nothing', () => {
    const likeToken = fc
      .tuple(anyId, fc.stringMatching(/^[0-9a-z]{1,9}$/), fc.stringMatching(/^[0-9a-f]{64}$/))
      .map((parts) => parts.join('.'));

    fc.assert(
      fc.property(anyPurpose, fc.oneof(fc.string({ unit: anyCharacter }), likeToken), (purpose, text) => {
        expect(readLinkToken(purpose, text, [oldSecret], now)).toBeUndefined();
      }),
    );
  });
});
