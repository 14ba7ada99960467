import { describe, expect, test } from 'vitest';
import { judgeSubmission } from './judge-submission.ts';

const fields = { name: 'Ada Example', message: 'Mondays.' };

test('a request without any signal is clean: scripts and plain forms have none', () => {
  expect(judgeSubmission(fields, {})).toEqual({ kind: 'clean' });
  expect(judgeSubmission({ ...fields, message: null }, {})).toEqual({ kind: 'clean' });
});

test('a filled honeypot is spam at once, whatever else is true', () => {
  expect(judgeSubmission(fields, { honeypot: 'x', filled_in_ms: 60_000 })).toEqual({
    kind: 'spam',
    reasons: ['honeypot'],
  });
  expect(
    judgeSubmission({ ...fields, name: 'www.example.com' }, { honeypot: 'x', filled_in_ms: 0 }),
  ).toEqual({ kind: 'spam', reasons: ['honeypot', 'too-fast', 'links'] });
});

test.each(['', '  '])('a honeypot with %j in it is empty', (honeypot) => {
  expect(judgeSubmission(fields, { honeypot })).toEqual({ kind: 'clean' });
});

test.each([
  [0, true],
  [1_999, true],
  [2_000, false],
  [3_600_000, false],
])('a form filled in %i ms is doubtful: %j', (filledInMs, isDoubtful) => {
  expect(judgeSubmission(fields, { filled_in_ms: filledInMs })).toEqual(
    isDoubtful ? { kind: 'doubtful', reasons: ['too-fast'] } : { kind: 'clean' },
  );
});

describe('links', () => {
  const doubtful = { kind: 'doubtful', reasons: ['links'] };

  test.each([
    { name: 'https://spam.example' },
    { name: 'Win at WWW.spam.example' },
    { message: 'https://a.example http://b.example www.c.example' },
    { message: 'HTTPS://A.EXAMPLE,HTTPS://B.EXAMPLE,HTTPS://C.EXAMPLE' },
  ])('are doubtful in %j', (changes) => {
    expect(judgeSubmission({ ...fields, ...changes }, {})).toEqual(doubtful);
  });

  test.each([
    { name: 'Ada.Example' },
    { message: 'See https://www.example.com and http://example.org/page.' },
    { message: 'example.com, example.org, example.net and example.io' },
  ])('are none, or few, in %j', (changes) => {
    expect(judgeSubmission({ ...fields, ...changes }, {})).toEqual({ kind: 'clean' });
  });
});
