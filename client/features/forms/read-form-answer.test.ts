import { describe, expect, test } from 'vitest';
import { getPart, readFormAnswer } from './read-form-answer.ts';

const readResponse = (status: number, text: string) =>
  readFormAnswer(status, text, {
    fieldNames: ['email', 'company'],
    isAccepted: (code, body) => code === 202 || (code === 200 && getPart(body, 'id') === '1'),
  });

const problem = (extra: object = {}) =>
  JSON.stringify({ type: 'about:blank', title: 'T', detail: 'Told so.', ...extra });

describe('accepted', () => {
  test.each([
    [202, ''],
    [200, '{"id":"1"}'],
  ])('status %i with %j is a success, as the form says', (status, text) => {
    expect(readResponse(status, text)).toEqual({ kind: 'accepted' });
  });

  test.each(['<h1>Welcome to the hotel</h1>', '', 'null', '[]', '{}', '{"id":"2"}', '{"id":1}'])(
    'what a proxy answers with status 200, such as %j, is no success',
    (text) => {
      expect(readResponse(200, text).kind).toBe('refused');
    },
  );
});

describe('faults in fields', () => {
  test('faults that all have a field are told beside the fields', () => {
    const errors = { email: 'Not an address.', company: 'Too long.' };

    expect(readResponse(400, problem({ errors }))).toEqual({ kind: 'invalid', errors });
  });

  test('a fault in something the visitor does not see is told in the banner', () => {
    const errors = { submitted_at: 'No time.', email: 'Not an address.' };

    expect(readResponse(400, problem({ errors }))).toEqual({
      kind: 'refused',
      status: 400,
      detail: 'No time.',
    });
  });

  test.each([[{}], [{ email: 5 }], [{ email: '' }], ['email'], [null]])(
    'faults like %j are unusable, the detail is told',
    (errors) => {
      expect(readResponse(400, problem({ errors }))).toEqual({
        kind: 'refused',
        status: 400,
        detail: 'Told so.',
      });
    },
  );
});

describe('refused', () => {
  test.each([400, 403, 413, 415, 429, 500, 503])('status %i tells the detail', (status) => {
    expect(readResponse(status, problem())).toEqual({
      kind: 'refused',
      status,
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
    expect(readResponse(status, text)).toEqual({
      kind: 'refused',
      status,
      detail: `The server’s answer can’t be read (status ${status}). Please try again in a moment.`,
    });
  });
});

test('faults in fields are read from status 400 only', () => {
  expect(readResponse(409, problem({ errors: { email: 'x' } }))).toEqual({
    kind: 'refused',
    status: 409,
    detail: 'Told so.',
  });
});
