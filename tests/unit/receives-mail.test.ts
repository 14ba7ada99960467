import { expect, test } from 'vitest';
import { makeDeafResolver, makeResolver } from './dns-zone.ts';
import { isUnreachable } from '../../shared/node/mail/receives-mail.ts';

const zone = {
  'com NS': ['a.gtld-servers.net'],
  'mx.io MX': ['10 mx.mx.io'],
  'a.io A': ['192.0.2.1'],
  'null.io MX': ['0 '],
  'xn--bcher-kva.io MX': ['10 mx.mx.io'],
};

test.each([
  ['ada@mx.io', false],
  ['ada@a.io', false],
  ['ada@Bücher.io', false],
  ['ada@null.io', true],
  ['ada@nothing.io', true],
  ['ada@example.org', false],
])('that %s can’t receive mail: %j', async (email, expected) => {
  expect(await isUnreachable(email, makeResolver(zone))).toBe(expected);
});

test('a private network’s name server that knows no public names is not trusted', async () => {
  expect(await isUnreachable('ada@nothing.io', makeResolver({ 'intranet.corp A': ['192.0.2.1'] }))).toBe(false);
});

test('without DNS the result is unknown', async () => {
  expect(await isUnreachable('ada@nothing.io', makeDeafResolver())).toBe(false);
});
