import { isIPv4, isIPv6 } from 'node:net';

const MAPPED_IPV4 = /^::ffff:(\d+(?:\.\d+){3})$/i;
const GROUPS = 8;
const GROUP_BITS = 16;

function splitGroups(part: string | undefined): string[] {
  return part === undefined || part === '' ? [] : part.split(':');
}

/** The network of an IPv6 address whose prefix has so many groups of 16 bits. */
function getPrefix(address: string, groups: number): string {
  const [head, tail] = address.split('%', 1).join().split('::');
  const first = splitGroups(head);
  const last = splitGroups(tail);
  // An IPv4 address at the end stands for two groups.
  const present = first.length + last.length + (last.at(-1)?.includes('.') ? 1 : 0);
  const zeros = Array<string>(Math.max(0, GROUPS - present)).fill('0');

  const prefix = [...first, ...zeros, ...last]
    .slice(0, groups)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');

  return `${prefix}::/${groups * GROUP_BITS}`;
}

/**
 * Whom a limit counts: an IPv4 address, or the network of an IPv6 address, since whoever has one
 * of its addresses has all 2^64 of them.
 */
export function getClientKey(address: string): string {
  const mapped = MAPPED_IPV4.exec(address)?.[1];
  if (mapped !== undefined) return mapped;

  return isIPv6(address) ? getPrefix(address, 4) : address;
}

/**
 * The network that one organization usually has: the /24 of an IPv4 address, the /48 of an IPv6
 * address (RIPE 690 recommends it for a site, and it holds 65,536 of the clients counted above).
 */
export function getNetworkKey(address: string): string {
  const client = getClientKey(address);
  if (isIPv6(address) && client.includes(':')) return getPrefix(address, 3);

  return isIPv4(client) ? `${client.split('.').slice(0, 3).join('.')}.0/24` : client;
}
