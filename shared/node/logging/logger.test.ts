import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { SiteError } from './describe-error.ts';
import { createLogger } from './logger.ts';

/** Returns the logged line. */
function log(fields: object): unknown {
  const lines: string[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  createLogger({ level: 'info', process: 'test', stream }).error(fields, 'Failed.');

  return JSON.parse(lines.join(''));
}

test('only our own errors’ messages are logged', () => {
  expect(log({ err: new SiteError('The clock is wrong.') })).toMatchObject({ err: { message: 'The clock is wrong.' } });
  expect(log({ err: new Error('Key (email)=(ada@example.org) exists.') })).not.toHaveProperty('err.message');
});

test('fields with visitors’ data are redacted at the top level and in objects', () => {
  expect(log({ email: 'ada@example.org', form: { message: 'Hello', id: 7 } })).toMatchObject({
    email: '[Redacted]',
    form: { message: '[Redacted]', id: 7 },
  });
});
