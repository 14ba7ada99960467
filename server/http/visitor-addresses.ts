import { BlockList, isIPv6 } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isLoopbackHost } from '../../shared/node/network/loopback.ts';
import { Hour } from '../../shared/time.ts';

/** Page requests of one address, and their share of all, over so many milliseconds at least. */
const SUSPICIOUS = { requests: 100, share: 0.25, spanMs: Hour } as const;

/** Most private addresses that are counted: who may choose their address fill no memory. */
const MAX_ADDRESSES = 1_000;

/** Addresses of no visitor from the internet: of networks within one site, and of this machine. */
const privateAddresses = new BlockList();
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  privateAddresses.addSubnet(network, prefix, 'ipv4');
}
privateAddresses.addSubnet('fc00::', 7, 'ipv6');
privateAddresses.addSubnet('fe80::', 10, 'ipv6');
privateAddresses.addAddress('::1', 'ipv6');

/** Also of an IPv4 address within IPv6. */
const isPrivateAddress = (address: string) =>
  privateAddresses.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

const asksForPage = ({ headers }: FastifyRequest) => headers.accept?.includes('text/html') ?? false;

/**
 * Warns once when one private address asks for a large share of the pages, as it does where an engine
 * (rootless, with a userland proxy) or a proxy that isn't trusted hides visitors' addresses, of all or of
 * those with IPv6: every limit then counts these visitors as one.
 * @param publicUrl a site for this machine alone has one visitor
 * @param now milliseconds that only grow
 */
export function registerVisitorAddressCheck(
  app: FastifyInstance,
  publicUrl: string,
  now: () => number = performance.now.bind(performance),
): void {
  let isDecided = isLoopbackHost(new URL(publicUrl).hostname);
  let since: number | undefined;
  let requests = 0;
  const privateRequests = new Map<string, number>();

  const isSuspicious = () => {
    const most = Math.max(0, ...privateRequests.values());

    return most >= SUSPICIOUS.requests && most >= requests * SUSPICIOUS.share;
  };

  app.addHook('onRequest', async (request) => {
    if (isDecided || !asksForPage(request)) return;
    since ??= now();
    requests += 1;
    const known = privateRequests.get(request.ip) ?? 0;
    if (isPrivateAddress(request.ip) && (known > 0 || privateRequests.size < MAX_ADDRESSES)) {
      privateRequests.set(request.ip, known + 1);
    }
    if (now() - since < SUSPICIOUS.spanMs) return;
    if (isSuspicious()) {
      isDecided = true;
      app.log.warn(
        'Many visitors seem to have one private address, so every limit counts them as one: docs/operations/connection-limits.md says why and what to do.',
      );
    } else if (requests >= SUSPICIOUS.requests / SUSPICIOUS.share) {
      // Enough to know that all is well so far; a site with few visitors counts for longer.
      since = undefined;
      requests = 0;
      privateRequests.clear();
    }
  });
}
