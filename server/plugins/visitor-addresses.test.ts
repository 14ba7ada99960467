import Fastify, { type FastifyBaseLogger } from 'fastify';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Hour, Minute } from '../../shared/time.ts';
import { registerVisitorAddressCheck } from './visitor-addresses.ts';

const WARNING = 'All visitors seem to have one private address';

/** A site that notes what it logs, and its visitors, one a minute. */
function makeSite(publicUrl: string) {
  const lines: string[] = [];
  let time = 0;
  const loggerInstance: FastifyBaseLogger = pino(
    { level: 'warn' },
    { write: (line: string) => void lines.push(line) },
  );
  const app = Fastify({ loggerInstance });
  registerVisitorAddressCheck(app, publicUrl, () => time);
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

test.each([
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
