import { expect, test } from 'vitest';
import { isInRanges, isLoopbackHost, parseAddress, parseRange } from './ip-address.ts';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::ffff:cb00:7107', '203.0.113.7'],
  ['2001:DB8::1', '2001:db8::1'],
  ['127.1', undefined],
  ['0177.0.0.1', undefined],
  ['2130706433', undefined],
  ['[::1]', undefined],
  ['localhost', undefined],
  ['', undefined],
])('%j parses to the address %s', (text, address) => {
  expect(parseAddress(text)?.toString()).toBe(address);
});

test.each([
  ['10.0.0.0/8', '10.255.255.255', true],
  ['10.0.0.0/8', '11.0.0.0', false],
  ['10.0.0.0/8', '::ffff:10.0.0.1', true],
  ['10.0.0.1', '10.0.0.1', true],
  ['10.0.0.1', '10.0.0.2', false],
  ['fe80::/10', 'fe80::1%eth0', true],
  ['::/0', '10.0.0.1', false],
])('the range %s contains the address %s: %j', (range, address, isIn) => {
  const [parsedRange, parsedAddress] = [parseRange(range), parseAddress(address)];

  expect(parsedRange && parsedAddress && isInRanges(parsedAddress, [parsedRange])).toBe(isIn);
});

test.each(['10.0.0.0/33', 'fe80::/129', '10.0.0.0/', '10.0.0/8', 'example.com/8'])('%s isn’t a valid range', (text) => {
  expect(parseRange(text)).toBeUndefined();
});

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['127.255.0.9', true],
  ['[::1]', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['localhost.example.com', false],
  ['192.168.0.1', false],
  ['[::2]', false],
])('%s is a loopback host: %j', (host, isLoopback) => {
  expect(isLoopbackHost(host)).toBe(isLoopback);
});
