import fastifyPlugin from 'fastify-plugin';
import { isLoopbackHost, parseAddress } from '../../shared/node/network/ip-address.ts';

/** Page requests in one sample, which also bounds the addresses in memory, and the share of one address that is suspicious. */
const SAMPLE_SIZE = 400;
const SUSPICIOUS_SHARE = 0.25;

/** ipaddr.js's names of the ranges of networks within one site, and of this machine. */
const PRIVATE_RANGES: ReadonlySet<string> = new Set([
  'private',
  'carrierGradeNat',
  'linkLocal',
  'loopback',
  'uniqueLocal',
]);

interface VisitorAddressOptions {
  /** A site for this machine alone has one visitor. */
  readonly publicUrl: string;
}

/**
 * Warns once when one private address sends a quarter of a sample of page requests. Then an engine (rootless, with a
 * userland proxy) or a proxy that isn't trusted hides visitors' addresses, and every limit counts these visitors as one.
 */
export const visitorAddresses = fastifyPlugin<VisitorAddressOptions>(
  async (app, { publicUrl }) => {
    if (isLoopbackHost(new URL(publicUrl).hostname)) return;
    let hasWarned = false;
    let requests = 0;
    const byAddress = new Map<string, number>();

    const count = (address: string) => {
      if (requests === SAMPLE_SIZE) {
        requests = 0;
        byAddress.clear();
      }
      requests += 1;
      if (!PRIVATE_RANGES.has(parseAddress(address)?.range() ?? '')) return;
      const ofAddress = (byAddress.get(address) ?? 0) + 1;
      byAddress.set(address, ofAddress);
      if (ofAddress < SAMPLE_SIZE * SUSPICIOUS_SHARE) return;
      hasWarned = true;
      app.log.warn(
        'Many visitors seem to have one private address, so every limit counts them as one: docs/operations/connection-limits.md says why and what to do.',
      );
    };
    app.addHook('onRequest', (request, _reply, done) => {
      if (!hasWarned && request.headers.accept?.includes('text/html')) count(request.ip);
      done();
    });
  },
  { name: 'visitor-addresses' },
);
