import { describe, expect, test } from 'vitest';
import { createAddressPolicy } from './address-policy.ts';

const isAllowed = (url: string, address: string, allowed: readonly string[] = []) =>
  createAddressPolicy(allowed)(new URL(url), address);

describe('an outbound call', () => {
  test('can reach public addresses, but only over HTTPS', () => {
    expect(isAllowed('https://crm.example.com', '93.184.215.14')).toBe(true);
    expect(isAllowed('https://crm.example.com', '2606:2800:21f:cb07::1')).toBe(true);
    expect(isAllowed('http://crm.example.com', '93.184.215.14')).toBe(false);
  });

  test.each([
    '10.1.2.3',
    '127.0.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '100.64.0.1',
    '0.0.0.0',
    '::1',
    '::',
    'fd00::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
  ])('can’t reach the private address %s unless its host is listed', (address) => {
    expect(isAllowed('https://crm.example.com', address)).toBe(false);
    expect(isAllowed('https://crm.example.com', address, ['crm.example.com'])).toBe(true);
  });

  test.each(['169.254.169.254', '100.100.100.200', 'fd00:ec2::254', 'fe80::1', '::ffff:169.254.169.254', '224.0.0.1'])(
    'can never reach %s, even if the address and its host are listed',
    (address) => {
      expect(isAllowed('https://crm.example.com', address, ['crm.example.com', address])).toBe(false);
    },
  );

  test.each([
    ['a listed host on any port', 'http://crm.internal:8069', '10.0.0.5', 'CRM.internal', true],
    ['a listed port of a host', 'http://other.internal:8069', '10.0.0.5', 'other.internal:8069', true],
    ['another port of a listed host', 'http://other.internal', '10.0.0.5', 'other.internal:8069', false],
    ['the default HTTPS port', 'https://crm.internal', '10.0.0.5', 'crm.internal:443', true],
    ['the default HTTP port', 'http://crm.internal', '10.0.0.5', 'crm.internal:443', false],
    ['a listed range without HTTPS', 'http://crm.internal', '10.9.8.7', '10.0.0.0/8', true],
    ['an address outside a listed range', 'http://crm.internal', '11.0.0.1', '10.0.0.0/8', false],
    ['a listed IPv6 address', 'http://[::1]:3000', '::1', '[::1]:3000', true],
    ['a listed address', 'http://127.0.0.1:3000', '127.0.0.1', '127.0.0.1', true],
  ])('to %s (%s at %s, with %s listed) is allowed: %j', (_what, url, address, listed, isReached) => {
    expect(isAllowed(url, address, [listed])).toBe(isReached);
  });
});
