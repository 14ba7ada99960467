import type { FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { isLoopbackHost, parseAddress } from '../../shared/node/network/ip-address.ts';
import { Hour } from '../../shared/time.ts';

/** Page requests of one address, and their share of all, over this many milliseconds at least. */
const SUSPICIOUS = { requests: 100, share: 0.25, spanMs: Hour } as const;

/** Most private addresses that are counted: clients that choose their address must not fill the memory. */
const MAX_ADDRESSES = 1_000;

/** ipaddr.js's names of the ranges of networks within one site, and of this machine. */
const PRIVATE_RANGES: ReadonlySet<string> = new Set([
  'private',
  'carrierGradeNat',
  'linkLocal',
  'loopback',
  'uniqueLocal',
]);

/** Also of an IPv4 address within IPv6. */
const isPrivateAddress = (address: string) =>
  PRIVATE_RANGES.has(parseAddress(address)?.range() ?? '');

const asksForPage = ({ headers }: FastifyRequest) => headers.accept?.includes('text/html') ?? false;

interface VisitorAddressOptions {
  /** A site for this machine alone has one visitor. */
  readonly publicUrl: string;
  /** Milliseconds that only grow. */
  readonly now?: () => number;
}

/** Counts the page requests of private addresses. */
function createAddressCounts() {
  let requests = 0;
  const byAddress = new Map<string, number>();

  return {
    count: (address: string) => {
      requests += 1;
      const known = byAddress.get(address) ?? 0;
      if (isPrivateAddress(address) && (known > 0 || byAddress.size < MAX_ADDRESSES)) {
        byAddress.set(address, known + 1);
      }
    },
    isSuspicious: () => {
      const most = Math.max(0, ...byAddress.values());

      return most >= SUSPICIOUS.requests && most >= requests * SUSPICIOUS.share;
    },
    /** Whether these are enough to say that no address is suspicious so far. */
    areEnough: () => requests >= SUSPICIOUS.requests / SUSPICIOUS.share,
  };
}

/**
 * Warns once when one private address asks for a large share of the pages, as it does where an engine
 * (rootless, with a userland proxy) or a proxy that isn't trusted hides visitors' addresses, of all or of
 * those with IPv6: every limit then counts these visitors as one.
 */
export const visitorAddresses = fastifyPlugin<VisitorAddressOptions>(
  async (app, { publicUrl, now = performance.now.bind(performance) }) => {
    if (isLoopbackHost(new URL(publicUrl).hostname)) return;
    let hasWarned = false;
    let since: number | undefined;
    let counts = createAddressCounts();

    const observe = (request: FastifyRequest) => {
      if (hasWarned || !asksForPage(request)) return;
      since ??= now();
      counts.count(request.ip);
      if (now() - since < SUSPICIOUS.spanMs) return;
      if (counts.isSuspicious()) {
        hasWarned = true;
        app.log.warn(
          'Many visitors seem to have one private address, so every limit counts them as one: docs/operations/connection-limits.md says why and what to do.',
        );
      } else if (counts.areEnough()) {
        // A site with few visitors counts for longer.
        since = undefined;
        counts = createAddressCounts();
      }
    };
    app.addHook('onRequest', (request, _reply, done) => {
      observe(request);
      done();
    });
  },
  { name: 'visitor-addresses' },
);
