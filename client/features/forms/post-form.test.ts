import { expect, test } from 'vitest';
import { getProperty, parseFormResponse } from './post-form.ts';

const parse = (status: number, text: string) =>
  parseFormResponse(status, text, {
    fieldNames: ['email', 'company'],
    isAccepted: (code, body) => code === 202 || (code === 200 && getProperty(body, 'id') === '1'),
  });

const problem = (extra: object = {}) =>
  JSON.stringify({ type: 'about:blank', title: 'T', detail: 'The reason.', ...extra });

test.each([
  [202, ''],
  [200, '{"id":"1"}'],
])('status %i with %j is a success if the form accepts it', (status, text) => {
  expect(parse(status, text)).toEqual({ kind: 'accepted' });
});

test.each(['<h1>Welcome to the hotel</h1>', '', 'null', '[]', '{}', '{"id":"2"}', '{"id":1}'])(
  'a proxy’s response with status 200, such as %j, is an error',
  (text) => {
    expect(parse(200, text).kind).toBe('refused');
  },
);

test('errors are shown beside their fields if the form has all of those fields', () => {
  const errors = { email: 'Not an address.', company: 'Too long.' };

  expect(parse(400, problem({ errors }))).toEqual({ kind: 'invalid', errors });
});

test('an error in a hidden field is shown in the banner', () => {
  const errors = { submitted_at: 'No time.', email: 'Not an address.' };

  expect(parse(400, problem({ errors }))).toEqual({
    kind: 'refused',
    status: 400,
    detail: 'No time.',
  });
});

test.each([[{}], [{ email: 5 }], [{ email: '' }], ['email'], [null]])(
  'the detail is shown instead of unusable errors such as %j',
  (errors) => {
    expect(parse(400, problem({ errors }))).toEqual({
      kind: 'refused',
      status: 400,
      detail: 'The reason.',
    });
  },
);

test.each([
  [400, problem()],
  [429, problem()],
  [503, problem()],
  // Only a 400 response can have field errors.
  [409, problem({ errors: { email: 'x' } })],
])('status %i with %s shows the detail', (status, text) => {
  expect(parse(status, text)).toEqual({ kind: 'refused', status, detail: 'The reason.' });
});

test.each([
  [502, '<html>Bad gateway</html>'],
  [500, ''],
  [500, 'null'],
  [503, '{"detail":""}'],
  [429, '{"detail":{"a":1}}'],
])('status %i with %j shows the status', (status, text) => {
  expect(parse(status, text)).toEqual({
    kind: 'refused',
    status,
    detail: `The server’s answer can’t be read (status ${status}). Please try again in a moment.`,
  });
});
