import { describe, expect, test } from 'vitest';
import { assessSpam } from './assess-spam.ts';

const fields = { name: 'Ada Example', message: 'Mondays.' };

test('a request without any signal is clean: scripts and plain forms have none', () => {
  expect(assessSpam(fields, {})).toEqual({ kind: 'clean' });
  expect(assessSpam({ ...fields, message: null }, {})).toEqual({ kind: 'clean' });
});

test('a filled honeypot is spam at once, whatever else is true', () => {
  expect(assessSpam(fields, { honeypot: 'x', filled_in_ms: 60_000 })).toEqual({
    kind: 'spam',
    reasons: ['honeypot'],
  });
  expect(
    assessSpam({ ...fields, name: 'www.example.com' }, { honeypot: 'x', filled_in_ms: 0 }),
  ).toEqual({ kind: 'spam', reasons: ['honeypot', 'too-fast', 'links'] });
});

test.each(['', '  '])('a honeypot with %j in it is empty', (honeypot) => {
  expect(assessSpam(fields, { honeypot })).toEqual({ kind: 'clean' });
});

test.each([
  [0, true],
  [1_999, true],
  [2_000, false],
  [3_600_000, false],
])('a form filled in %i ms is suspected: %j', (filledInMs, isSuspected) => {
  expect(assessSpam(fields, { filled_in_ms: filledInMs })).toEqual(
    isSuspected ? { kind: 'suspected', reasons: ['too-fast'] } : { kind: 'clean' },
  );
});

describe('links', () => {
  const suspected = { kind: 'suspected', reasons: ['links'] };

  test.each([
    { name: 'https://spam.example' },
    { name: 'Win at WWW.spam.example' },
    { message: 'https://a.example http://b.example www.c.example' },
    { message: 'HTTPS://A.EXAMPLE,HTTPS://B.EXAMPLE,HTTPS://C.EXAMPLE' },
  ])('are a signal in %j', (changes) => {
    expect(assessSpam({ ...fields, ...changes }, {})).toEqual(suspected);
  });

  test.each([
    { name: 'Ada.Example' },
    { message: 'See https://www.example.com and http://example.org/page.' },
    { message: 'example.com, example.org, example.net and example.io' },
  ])('are none, or few, in %j', (changes) => {
    expect(assessSpam({ ...fields, ...changes }, {})).toEqual({ kind: 'clean' });
  });
});
