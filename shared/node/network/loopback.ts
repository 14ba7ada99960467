import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * Whether a host leads to this machine alone.
 * @param host a name or an address, as in a URL or without the brackets of IPv6
 */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  const version = isIP(bare);
  if (version === 0) return bare === 'localhost';

  return loopback.check(bare, version === 4 ? 'ipv4' : 'ipv6');
}
