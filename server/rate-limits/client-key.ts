import { isIPv6 } from 'node:net';

const MAPPED_IPV4 = /^::ffff:(\d+(?:\.\d+){3})$/i;
const GROUPS = 8;

function splitGroups(part: string | undefined): string[] {
  return part === undefined || part === '' ? [] : part.split(':');
}

/** The first 64 bits of an IPv6 address, as four groups. */
function getNetwork(address: string): string {
  const [head, tail] = address.split('%', 1).join().split('::');
  const first = splitGroups(head);
  const last = splitGroups(tail);
  // An IPv4 address at the end stands for two groups.
  const present = first.length + last.length + (last.at(-1)?.includes('.') ? 1 : 0);
  const zeros = Array<string>(Math.max(0, GROUPS - present)).fill('0');

  return [...first, ...zeros, ...last]
    .slice(0, GROUPS / 2)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

/**
 * Whom a limit counts: an IPv4 address, or the network of an IPv6 address, since whoever has one
 * of its addresses has all 2^64 of them.
 */
export function getClientKey(address: string): string {
  const mapped = MAPPED_IPV4.exec(address)?.[1];
  if (mapped !== undefined) return mapped;

  return isIPv6(address) ? `${getNetwork(address)}::/64` : address;
}
