import { describe, expect, test } from 'vitest';
import { describeError, formatError, SiteError } from './describe-error.ts';

const CANARY = 'canary.address@example.org';

test('only the site’s own messages appear when a chain of causes is described', () => {
  const refused = Object.assign(new Error(`connect ECONNREFUSED, said ${CANARY}`), {
    code: 'ECONNREFUSED',
    syscall: 'connect',
    address: '127.0.0.1',
    port: 5432,
  });
  const error = new SiteError('The list can’t be used.', {
    cause: new TypeError(`fetch failed for ${CANARY}`, { cause: refused }),
  });

  expect(describeError(error)).toMatchObject({
    type: 'Error',
    message: 'The list can’t be used.',
    stack: expect.stringContaining('describe-error.test.ts') as string,
    cause: {
      type: 'TypeError',
      cause: { code: 'ECONNREFUSED', syscall: 'connect', address: '127.0.0.1', port: 5432 },
    },
  });
  expect(formatError(error)).toMatch(/^Error: The list can’t be used\.\n[\s\S]*caused by TypeError\n[\s\S]*ECONNREFUSED/);
  for (const text of [JSON.stringify(describeError(error)), formatError(error)]) {
    expect(text).not.toContain('canary');
  }
});

test('the first five members of an AggregateError are described', () => {
  const members = Array.from({ length: 7 }, (_, index) =>
    Object.assign(new Error(CANARY), { code: 'ECONNREFUSED', port: 5000 + index }),
  );

  const { errors, errorsLeftOut } = describeError(new AggregateError(members, CANARY));

  expect(errors?.map(({ port }) => port)).toEqual([5000, 5001, 5002, 5003, 5004]);
  expect(errorsLeftOut).toBe(2);
});

test('circular causes, and causes that are not errors, are described', () => {
  const first = new SiteError('first', { cause: new SiteError('last', { cause: CANARY }) });
  const circle = new SiteError('circle');
  circle.cause = new AggregateError([circle, first]);

  expect(describeError(first)).toMatchObject({ cause: { message: 'last', cause: { type: 'string' } } });
  expect(JSON.stringify(describeError(circle)).match(/"circle"/g)?.length).toBeLessThan(10);
});

describe('personal data', () => {
  test('in PostgreSQL details, mail server responses and validator input is omitted', () => {
    const error = Object.assign(new Error(CANARY), {
      code: '23505',
      table: 'newsletter_subscriptions',
      constraint: 'newsletter_subscriptions_email_unique',
      detail: `Key (email)=(${CANARY}) already exists.`,
      where: CANARY,
      hint: CANARY,
      response: `550 ${CANARY}`,
      rejected: [CANARY],
      issues: [{ input: CANARY }],
      port: { toString: () => CANARY },
    });

    const description = describeError(error);

    expect(description).toMatchObject({
      code: '23505',
      constraint: 'newsletter_subscriptions_email_unique',
    });
    expect(JSON.stringify(description)).not.toContain('canary');
  });

  test('in a message that looks like a frame is omitted', () => {
    const message = `first\n    at ${CANARY} (file:///app/main.ts:1:1)`;

    const { stack } = describeError(new Error(message));

    expect(stack).toContain('describe-error.test.ts');
    expect(stack).not.toContain('canary');
  });
});
