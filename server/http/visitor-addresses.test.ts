import Fastify, { type FastifyBaseLogger } from 'fastify';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Hour, Minute } from '../../shared/time.ts';
import { visitorAddresses } from './visitor-addresses.ts';

const WARNING = 'Many visitors seem to have one private address';

/** A site that records what it logs, and its visitors, one a minute. */
function makeSite(publicUrl: string) {
  const lines: string[] = [];
  let time = 0;
  const loggerInstance: FastifyBaseLogger = pino(
    { level: 'warn' },
    { write: (line: string) => void lines.push(line) },
  );
  const app = Fastify({ loggerInstance });
  void app.register(visitorAddresses, { publicUrl, now: () => time });
  app.get('/', async () => 'page');

  return {
    lines,
    /** So many requests, the last of them `spanMs` after the first. */
    visit: async (addresses: readonly string[], count = 150, spanMs = 2 * Hour, accept = 'text/html') => {
      for (let number = 0; number < count; number += 1) {
        const remoteAddress = addresses[number % addresses.length] ?? '';
        await app.inject({ url: '/', remoteAddress, headers: { accept } });
        time += spanMs / count;
      }
    },
  };
}

const SITE = 'https://www.example.com';

test.each(['172.18.0.1', '10.0.2.2', '::ffff:172.17.0.1', 'fd00::1', '127.0.0.1'])(
  'that all visitors come from %s is warned of once, without the address',
  async (address) => {
    const { lines, visit } = makeSite(SITE);
    await visit([address], 400);

    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(WARNING);
    expect(lines[0]).not.toContain(address);
  },
);

const PUBLIC = ['203.0.113.7', '203.0.113.8', '2001:db8::7', '203.0.113.9'];

test.each([
  ['a third of the visitors has, those with IPv6', ['203.0.113.7', '172.18.0.1', '203.0.113.8'], 900, 2 * Hour],
  ['all visitors of a site with few have', ['172.18.0.1'], 120, 48 * Hour],
])('a private address that %s is warned of', async (_who, addresses, count, spanMs) => {
  const { lines, visit } = makeSite(SITE);
  await visit(addresses, count, spanMs);

  expect(lines).toEqual([expect.stringContaining(WARNING)]);
});

test('a private address that comes to have a large share later is warned of too', async () => {
  const { lines, visit } = makeSite(SITE);
  await visit(PUBLIC, 900);
  expect(lines).toEqual([]);
  await visit(['172.18.0.1', ...PUBLIC.slice(1)], 2_000, 4 * Hour);

  expect(lines).toEqual([expect.stringContaining(WARNING)]);
});

test.each([
  ['one private address among many others', SITE, ['172.18.0.1', ...PUBLIC], [1_500]],
  ['two addresses', SITE, ['172.18.0.1', '172.18.0.9'], []],
  ['a public address', SITE, ['203.0.113.7'], []],
  ['too few requests', SITE, ['172.18.0.1'], [50]],
  ['too short a time', SITE, ['172.18.0.1'], [400, 30 * Minute]],
  ['a monitor that asks for no page', SITE, ['172.18.0.1'], [400, 2 * Hour, '*/*']],
  ['a site for this machine alone', 'http://localhost:3000', ['172.18.0.1'], []],
] as const)('of %s nobody is warned', async (_kind, publicUrl, addresses, [count, spanMs, accept]) => {
  const { lines, visit } = makeSite(publicUrl);
  await visit(addresses, count, spanMs, accept);

  expect(lines).toEqual([]);
});
