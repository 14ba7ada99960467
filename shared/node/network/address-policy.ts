import { BlockList, isIP } from 'node:net';

/**
 * Ranges that are not the public internet.
 * Source: IANA's special-purpose address registries for IPv4 and IPv6.
 */
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

/**
 * Link-local (with most clouds' metadata services), the metadata services elsewhere (Alibaba's, and
 * Amazon's over IPv6) and multicast: no CRM is there.
 */
const NEVER_ALLOWED_RANGES = [
  '169.254.0.0/16',
  '100.100.100.200/32',
  '224.0.0.0/4',
  'fd00:ec2::254/128',
  'fe80::/10',
  'ff00::/8',
] as const;

const getFamily = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

function makeBlockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/');
    if (prefix === undefined) list.addAddress(address, getFamily(address));
    else list.addSubnet(address, Number(prefix), getFamily(address));
  }

  return list;
}

const privateRanges = makeBlockList(PRIVATE_RANGES);
const neverAllowedRanges = makeBlockList(NEVER_ALLOWED_RANGES);

const contains = (list: BlockList, address: string) => list.check(address, getFamily(address));

/** Decides which servers outbound calls may reach. */
export interface AddressPolicy {
  /**
   * Whether `url` may be called at `address`, one of those its host stands for.
   * @param address an IPv4 or IPv6 address
   */
  readonly isAllowed: (url: URL, address: string) => boolean;
}

/** The port a URL names or implies. */
const getPort = ({ port, protocol }: URL) => port || (protocol === 'https:' ? '443' : '80');

/**
 * Allows https to public addresses, and whatever the operator listed: hosts, host:port, addresses
 * and CIDR ranges may be private, loopback or without TLS. What is checked is the address that is
 * connected to, so a host name can't be pointed elsewhere in between.
 */
export function createAddressPolicy(allowed: readonly string[]): AddressPolicy {
  const hosts = new Set(allowed.map((item) => item.toLowerCase()));
  const isRange = (item: string) => isIP(item.split('/', 1)[0] ?? '') !== 0;
  const ranges = makeBlockList(allowed.filter(isRange));

  return {
    isAllowed: (url, address) => {
      if (contains(neverAllowedRanges, address)) return false;
      const isListed =
        hosts.has(url.hostname) ||
        hosts.has(`${url.hostname}:${getPort(url)}`) ||
        contains(ranges, address);

      return isListed || (url.protocol === 'https:' && !contains(privateRanges, address));
    },
  };
}
