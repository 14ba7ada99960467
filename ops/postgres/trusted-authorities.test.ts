import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { getCACertificates } from 'node:tls';
import { expect, test } from 'vitest';
import { withAuthorities } from './trusted-authorities.ts';

const environment = { PATH: '/usr/bin', HOME: '/nonexistent' };

test.each(['verify-full', 'verify-ca'])('with sslmode=%s a tool trusts the authorities that Node trusts, while it runs', async (mode) => {
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
])('a tool that verifies no server, or by a file of its own, is given no authorities: %s', async (databaseUrl) => {
  expect(await withAuthorities(environment, databaseUrl, async (given) => given)).toBe(environment);
});
