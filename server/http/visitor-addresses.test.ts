import Fastify from 'fastify';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { visitorAddresses } from './visitor-addresses.ts';

const SITE = 'https://www.example.com';
const PUBLIC = ['203.0.113.7', '203.0.113.8', '2001:db8::7', '203.0.113.9'];

test.each([
  ['one for all visitors', SITE, ['172.18.0.1'], 400, 'text/html', 1],
  ['one within IPv6', SITE, ['::ffff:172.17.0.1'], 400, 'text/html', 1],
  ['a local one of IPv6', SITE, ['fd00::1'], 400, 'text/html', 1],
  ['one for a third of the visitors', SITE, ['203.0.113.7', '172.18.0.1', '203.0.113.8'], 400, 'text/html', 1],
  ['one among many others', SITE, ['172.18.0.1', ...PUBLIC], 1_500, 'text/html', 0],
  ['public ones only', SITE, ['203.0.113.7'], 400, 'text/html', 0],
  ['one with few requests', SITE, ['172.18.0.1'], 50, 'text/html', 0],
  ['that of a monitor, which requests no page', SITE, ['172.18.0.1'], 400, '*/*', 0],
  ['one, of a site for this machine alone', 'http://localhost:3000', ['172.18.0.1'], 400, 'text/html', 0],
])('with private addresses such as %s the log warns as often as it should, without an address', async (_which, publicUrl, addresses, count, accept, warnings) => {
  const lines: string[] = [];
  const app = Fastify({ loggerInstance: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }) });
  await app.register(visitorAddresses, { publicUrl });
  app.get('/', async () => 'page');
  for (let index = 0; index < count; index += 1) {
    await app.inject({ url: '/', remoteAddress: addresses[index % addresses.length] ?? '', headers: { accept } });
  }

  expect(lines).toHaveLength(warnings);
  for (const line of lines) {
    expect(line).toContain('Many visitors seem to have one private address');
    expect(line).not.toContain('172.1');
  }
});
