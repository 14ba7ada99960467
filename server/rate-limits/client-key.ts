import type ipaddr from 'ipaddr.js';
import { parseAddress } from '../../shared/node/network/ip-address.ts';

/** What some proxies forward: `192.0.2.1:50000`, `[2001:db8::1]:50000`. */
const WITH_PORT = /^(?:(?<v4>\d+\.\d+\.\d+\.\d+)|\[(?<v6>[^\]]+)\]):\d+$/;

function parseClient(client: string) {
  const { v4, v6 } = WITH_PORT.exec(client)?.groups ?? {};

  return parseAddress(v4 ?? v6 ?? client);
}

/** Whom a limit counts where a proxy says anything but an address: one client, however many it may be. */
const UNKNOWN = 'unknown';

const GROUP_BITS = 16;

/** The network of an IPv6 address whose prefix has so many groups of 16 bits. */
function writePrefix({ parts }: ipaddr.IPv6, groups: number): string {
  const prefix = parts.slice(0, groups).map((group) => group.toString(16));

  return `${prefix.join(':')}::/${groups * GROUP_BITS}`;
}

/**
 * Whom a limit counts: an IPv4 address, or the /64 network of an IPv6 address, since whoever has one
 * of its addresses has all 2^64 of them.
 */
export function getClientKey(client: string): string {
  const address = parseClient(client);
  if (!address) return UNKNOWN;

  return 'parts' in address ? writePrefix(address, 4) : address.toString();
}

/**
 * The network that one organization usually has: the /24 of an IPv4 address, the /48 of an IPv6
 * address (RIPE 690 recommends it for a site, and it holds 65,536 of the clients counted above).
 */
export function getNetworkKey(client: string): string {
  const address = parseClient(client);
  if (!address) return UNKNOWN;

  return 'parts' in address
    ? writePrefix(address, 3)
    : `${address.octets.slice(0, 3).join('.')}.0/24`;
}

/** The key of a limit for all clients together. */
export const getSharedKey = (): string => 'everyone';
