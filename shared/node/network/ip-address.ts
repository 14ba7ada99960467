import ipaddr from 'ipaddr.js';

type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** A network and the bits of its prefix. */
export type AddressRange = readonly [IpAddress, number];

/** Reads an address in its usual notation (not `127.1`); IPv4 within IPv6 becomes IPv4. */
export function parseAddress(text: string): IpAddress | undefined {
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);

  return isAddress ? ipaddr.process(text) : undefined;
}

/** Reads an address or a range in CIDR notation; undefined for everything else. */
export function parseRange(text: string): AddressRange | undefined {
  const address = parseAddress(text);
  if (address) return [address, address.kind() === 'ipv4' ? 32 : 128];
  const isRange = ipaddr.IPv4.isValidCIDRFourPartDecimal(text) || ipaddr.IPv6.isValidCIDR(text);

  return isRange ? ipaddr.parseCIDR(text) : undefined;
}

/** Whether one of the ranges has the address. */
export function isInRanges(address: IpAddress, ranges: readonly AddressRange[]): boolean {
  return ranges.some(
    ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
  );
}

export const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');

/** Whether a host leads to this machine alone. */
export function isLoopbackHost(host: string): boolean {
  // Local requests have these two, and parsing an address costs a tenth of a page's response.
  if (host === 'localhost' || host === '127.0.0.1') return true;

  return parseAddress(withoutBrackets(host))?.range() === 'loopback';
}
