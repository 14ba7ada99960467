import { expect, test } from 'vitest';
import { formatLogLine } from './process-log.ts';

test('a log line is shown as a sentence, with the cause and the facts it names', () => {
  const line = JSON.stringify({
    level: 50,
    time: '2026-11-22T14:05:09.123Z',
    process: 'worker',
    kind: 'follow-up',
    err: { type: 'Error', message: 'The mail server refuses us.', code: 'EAUTH', stack: '    at send' },
    msg: 'A delivery failed.',
  });

  expect(formatLogLine('worker', line)).toBe(
    '14:05:09 worker error: A delivery failed. Error: The mail server refuses us. (kind="follow-up", code="EAUTH")',
  );
});

test('what is no log line is shown as it is', () => {
  for (const line of ["The settings can't be used:", '{"level":', '']) expect(formatLogLine('web', line)).toBe(line);
});
