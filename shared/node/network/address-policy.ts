import { isInRanges, parseAddress, parseRange, type AddressRange } from './ip-address.ts';

/** Ranges outside the public internet. Source: IANA's special-purpose address registries. */
const PRIVATE_RANGES = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '240.0.0.0/4',
  '::/127',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '2002::/16',
  'fc00::/7',
] as const;

/** Link-local addresses, Alibaba's and Amazon's (IPv6) metadata services, and multicast. */
const NEVER_ALLOWED_RANGES = [
  '169.254.0.0/16',
  '100.100.100.200/32',
  '224.0.0.0/4',
  'fd00:ec2::254/128',
  'fe80::/10',
  'ff00::/8',
] as const;

const parseRanges = (items: readonly string[]): AddressRange[] =>
  items.flatMap((item) => {
    const range = parseRange(item);

    return range ? [range] : [];
  });

const privateRanges = parseRanges(PRIVATE_RANGES);
const neverAllowedRanges = parseRanges(NEVER_ALLOWED_RANGES);

const getPort = ({ port, protocol }: URL) => port || (protocol === 'https:' ? '443' : '80');

/**
 * Creates a function that returns whether a URL may be called at an IP address. It allows HTTPS to public addresses
 * and anything the operator listed. Pass the connection's address, because DNS can change between check and call.
 */
export function createAddressPolicy(allowed: readonly string[]) {
  const hosts = new Set(allowed.map((item) => item.toLowerCase()));
  const allowedRanges = parseRanges(allowed);

  return (url: URL, text: string): boolean => {
    const address = parseAddress(text);
    if (!address || isInRanges(address, neverAllowedRanges)) return false;
    const isListed =
      hosts.has(url.hostname) ||
      hosts.has(`${url.hostname}:${getPort(url)}`) ||
      isInRanges(address, allowedRanges);

    return isListed || (url.protocol === 'https:' && !isInRanges(address, privateRanges));
  };
}
