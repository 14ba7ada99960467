import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { getCACertificates } from 'node:tls';
import { expect, test } from 'vitest';
import { makeToolCommand, withAuthorities } from './postgres-tools.ts';

test.each([
  ['postgres://app:100%25@db/site', '100%'],
  ['postgres://db/site?user=app&password=100%25', '100%'],
  ['postgres://app:first@db/site?password=second', 'second'],
  ['postgres://app@db/site', undefined],
])('the password for %s is passed only in the environment', (databaseUrl, password) => {
  const { args, env } = makeToolCommand({ PATH: '', HOME: '' }, 'pg_dump', [], databaseUrl);

  expect(env.PGPASSWORD).toBe(password);
  expect(args[0]).not.toMatch(/100|first|second/);
});

const environment = { PATH: '/usr/bin', HOME: '/nonexistent' };

test.each(['verify-full', 'verify-ca'])('with sslmode=%s a tool trusts the same authorities as Node while it runs', async (mode) => {
  const file = await withAuthorities(environment, `postgres://db/site?sslmode=${mode}`, async ({ PGSSLROOTCERT = '', ...others }) => {
    expect(others).toEqual(environment);
    const text = await readFile(PGSSLROOTCERT, 'utf8');
    for (const certificate of getCACertificates('default')) expect(text).toContain(certificate);

    return PGSSLROOTCERT;
  });

  expect(existsSync(file)).toBe(false);
});

test.each([
  undefined,
  'postgres://db/site',
  'postgres://db/site?sslmode=require&uselibpqcompat=true',
  'postgres://db/site?sslmode=verify-full&sslrootcert=/own.pem',
])('a tool that doesn’t verify the server, or has its own certificate file, gets no authorities: %s', async (databaseUrl) => {
  expect(await withAuthorities(environment, databaseUrl, async (given) => given)).toBe(environment);
});
