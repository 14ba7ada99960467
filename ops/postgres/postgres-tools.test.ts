import { expect, test } from 'vitest';
import { makeToolCommand } from './postgres-tools.ts';

test.each([
  ['postgres://app:100%25@db/site', '100%'],
  ['postgres://db/site?user=app&password=100%25', '100%'],
  ['postgres://app:first@db/site?password=second', 'second'],
  ['postgres://app@db/site', undefined],
])('the password of %s is in the environment only, as the site reads it', (databaseUrl, password) => {
  const { args, env } = makeToolCommand({ PATH: '', HOME: '' }, 'pg_dump', [], databaseUrl);

  expect(env.PGPASSWORD).toBe(password);
  expect(args[0]).not.toMatch(/100|first|second/);
});
