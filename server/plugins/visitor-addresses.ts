import { BlockList, isIPv6 } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isLoopbackHost } from '../../shared/node/loopback.ts';
import { Hour } from '../../shared/time.ts';

/** Page requests, and milliseconds from the first to the last, of one address and no other. */
const SUSPICIOUS = { requests: 100, spanMs: Hour } as const;

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

/** What the requests so far had in common. */
interface SharedAddress {
  readonly address: string;
  readonly since: number;
  requests: number;
}

/**
 * Warns once when all requests for pages come from one private address, as they do where an engine
 * (rootless, with a userland proxy) or a proxy that isn't trusted hides visitors' addresses: every limit
 * then counts all visitors as one. A second address, or a public one, ends the watch.
 * @param publicUrl a site for this machine alone has one visitor
 * @param now milliseconds that only grow
 */
export function registerVisitorAddressCheck(
  app: FastifyInstance,
  publicUrl: string,
  now: () => number = performance.now.bind(performance),
): void {
  let isDecided = isLoopbackHost(new URL(publicUrl).hostname);
  let shared: SharedAddress | undefined;

  app.addHook('onRequest', async (request) => {
    if (isDecided || !asksForPage(request)) return;
    shared ??= { address: request.ip, since: now(), requests: 0 };
    shared.requests += 1;
    if (request.ip !== shared.address || !isPrivateAddress(request.ip)) {
      isDecided = true;
    } else if (shared.requests >= SUSPICIOUS.requests && now() - shared.since >= SUSPICIOUS.spanMs) {
      isDecided = true;
      app.log.warn(
        'All visitors seem to have one private address, so every limit counts them as one: docs/operations/connection-limits.md says why and what to do.',
      );
    }
  });
}
