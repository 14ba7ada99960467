import { createResolver, isReservedDomain, listRecords } from '../network/dns.ts';
import { withTimeout } from '../process/with-timeout.ts';
import { Second } from '../../time.ts';
import { normalizeAddress } from './email-address.ts';

/** How long a DNS response may delay the mail about a request. */
const TIMEOUT = 3 * Second;

/**
 * Returns whether DNS says that no mail can reach an address: its domain has no MX or address records, or has a null
 * MX (RFC 7505). Returns false if DNS doesn't respond, or can't resolve public names.
 */
export async function isUnreachable(email: string, resolver = createResolver()): Promise<boolean> {
  const domain = normalizeAddress(email).split('@').at(-1) ?? '';
  if (isReservedDomain(domain)) return false;
  const ask = async () => {
    const servers = await listRecords(resolver.resolveMx(domain));
    if (servers.length > 0) return servers.every(({ exchange }) => exchange === '');
    const addresses = await Promise.all([listRecords(resolver.resolve4(domain)), listRecords(resolver.resolve6(domain))]);
    if (addresses.flat().length > 0) return false;

    // A private network's name server may be unable to resolve public names.
    return (await listRecords(resolver.resolveNs('com'))).length > 0;
  };

  return withTimeout(ask, TIMEOUT).catch(() => false);
}
