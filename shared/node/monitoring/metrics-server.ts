import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { Registry } from 'prom-client';
import { Second } from '../../time.ts';
import { isLoopbackHost, parseAddress, withoutBrackets } from '../network/ip-address.ts';

/** Shorter than Prometheus's default timeout of 10 s. */
const HANDLER_TIMEOUT = 8 * Second;

const headers = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

interface MetricsServerOptions {
  readonly readMetrics: () => Promise<string>;
  /** Hosts to allow in addition to loopback and the connection's address. */
  readonly hostNames: readonly string[];
}

/** Returns whether a host is the address the request was sent to. Treats IPv4-mapped IPv6 addresses as IPv4. */
function isOwnAddress(host: string, { socket }: FastifyRequest): boolean {
  const own = parseAddress((socket.localAddress ?? '').replace(/%.*$/, ''));

  return own !== undefined && parseAddress(withoutBrackets(host))?.toString() === own.toString();
}

/**
 * Returns whether a request's Host belongs to this server. Otherwise other sites' pages could read the metrics
 * through DNS rebinding.
 */
function hasOwnHost(request: FastifyRequest, names: ReadonlySet<string>): boolean {
  const url = `http://${request.headers.host ?? ''}`;
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);

  return names.has(hostname) || isLoopbackHost(hostname) || isOwnAddress(hostname, request);
}

/** Builds the metrics server, which is separate from the public one. */
export function buildMetricsServer({ readMetrics, hostNames }: MetricsServerOptions): FastifyInstance {
  const app = Fastify({
    logger: false,
    requestTimeout: 5 * Second,
    handlerTimeout: HANDLER_TIMEOUT,
    forceCloseConnections: true,
  });
  const names = new Set(hostNames.map((name) => name.toLowerCase()));

  app.addHook('onRequest', async (request, reply) => {
    reply.headers(headers);
    if (!hasOwnHost(request, names)) {
      return reply.code(421).send({ error: 'This server doesn’t serve this host.' });
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return reply.code(405).header('allow', 'GET, HEAD').send({ error: 'Only GET and HEAD are allowed.' });
    }
  });
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).type('text/plain').send('There is only /metrics here.\n'),
  );
  app.get('/metrics', async (_request, reply) =>
    reply.type(Registry.PROMETHEUS_CONTENT_TYPE).send(await readMetrics()),
  );

  return app;
}
