import { describe, expect, test } from 'vitest';
import { readSubmissionAnswer } from './read-submission-answer.ts';

const problem = (extra: object = {}) =>
  JSON.stringify({ type: 'about:blank', title: 'T', detail: 'Told so.', ...extra });

describe('accepted', () => {
  test.each([
    [201, '{"id":"1"}'],
    [201, ''],
    [200, '{"id":"1"}'],
  ])('status %i with %j is a success', (status, text) => {
    expect(readSubmissionAnswer(status, text)).toEqual({ kind: 'accepted' });
  });

  test('a page that a proxy answers with status 200 is no success', () => {
    expect(readSubmissionAnswer(200, '<h1>Welcome to the hotel</h1>').kind).toBe('refused');
  });
});

describe('faults in fields', () => {
  test('faults that all have a field are told beside the fields', () => {
    const errors = { email: 'Not an address.', company: 'Too long.' };

    expect(readSubmissionAnswer(400, problem({ errors }))).toEqual({ kind: 'invalid', errors });
  });

  test('a fault in something the visitor does not see is told in the banner', () => {
    const errors = { submitted_at: 'No time.', email: 'Not an address.' };

    expect(readSubmissionAnswer(400, problem({ errors }))).toEqual({
      kind: 'refused',
      detail: 'No time.',
    });
  });

  test.each([[{}], [{ email: 5 }], [{ email: '' }], ['email'], [null]])(
    'faults like %j are unusable, the detail is told',
    (errors) => {
      expect(readSubmissionAnswer(400, problem({ errors }))).toEqual({
        kind: 'refused',
        detail: 'Told so.',
      });
    },
  );
});

describe('refused', () => {
  test.each([400, 403, 413, 415, 429, 500, 503])('status %i tells the detail', (status) => {
    expect(readSubmissionAnswer(status, problem())).toEqual({
      kind: 'refused',
      detail: 'Told so.',
    });
  });

  test.each([
    [502, '<html>Bad gateway</html>'],
    [500, ''],
    [500, 'null'],
    [503, '{"detail":""}'],
    [429, '{"detail":{"a":1}}'],
  ])('status %i with %j tells the status instead', (status, text) => {
    expect(readSubmissionAnswer(status, text)).toEqual({
      kind: 'refused',
      detail: `The server’s answer can’t be read (status ${status}). Please try again in a moment.`,
    });
  });
});

test('status 409 is a conflict of ids, whatever else it says', () => {
  expect(readSubmissionAnswer(409, problem({ errors: { email: 'x' } }))).toEqual({
    kind: 'id-conflict',
    detail: 'Told so.',
  });
});
