import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { Registry } from 'prom-client';
import { Second } from '../../time.ts';
import { isLoopbackHost, parseAddress, withoutBrackets } from '../network/ip-address.ts';
import { registerQueueBoard } from '../queues/queue-board.ts';
import type { Queues } from '../queues/queues.ts';

const BOARD = '/queues';

/** Prometheus' own default timeout is 10 s. */
const HANDLER_TIMEOUT = 8 * Second;

/** The queue board has inline styles; nothing may be loaded from elsewhere, fonts included. */
const CONTENT_POLICY = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const headers = {
  'content-security-policy': CONTENT_POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

interface MetricsServerPages {
  /** All metrics in Prometheus' text format. */
  readonly readMetrics: () => Promise<string>;
  /** Undefined without Redis: then there is nothing for the board to show. */
  readonly queues: Queues | undefined;
  /** Allowed Host headers, besides loopback and the address of the connection. */
  readonly hostNames: readonly string[];
}

/** Whether a host is the address at which the request arrived, IPv4 within IPv6 taken as IPv4. */
function isOwnAddress(host: string, { socket }: FastifyRequest): boolean {
  const own = parseAddress((socket.localAddress ?? '').replace(/%.*$/, ''));

  return own !== undefined && parseAddress(withoutBrackets(host))?.toString() === own.toString();
}

/**
 * Whether a request's Host is this server's. A page elsewhere can point its own name here (DNS rebinding),
 * and its visitor's browser would then read what is private; the Host header has that name.
 */
function hasOwnHost(request: FastifyRequest, names: ReadonlySet<string>): boolean {
  const url = `http://${request.headers.host ?? ''}`;
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);

  return names.has(hostname) || isLoopbackHost(hostname) || isOwnAddress(hostname, request);
}

/**
 * Builds the metrics server, which shares nothing with the public one: the metrics and the queue board,
 * both read-only.
 */
export async function buildMetricsServer(pages: MetricsServerPages): Promise<FastifyInstance> {
  const app = Fastify({
    logger: false,
    requestTimeout: 5 * Second,
    handlerTimeout: HANDLER_TIMEOUT,
    forceCloseConnections: true,
  });
  const names = new Set(pages.hostNames.map((name) => name.toLowerCase()));

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
    reply.code(404).type('text/plain').send(`There are only /metrics and ${BOARD} here.\n`),
  );
  app.get('/metrics', async (_request, reply) =>
    reply.type(Registry.PROMETHEUS_CONTENT_TYPE).send(await pages.readMetrics()),
  );
  const { queues } = pages;
  if (queues) await app.register((scope) => registerQueueBoard(scope, queues, BOARD));
  else {
    app.get(BOARD, async (_request, reply) =>
      reply.code(404).type('text/plain').send('There are no queues: REDIS_URL is not set.\n'),
    );
  }

  return app;
}
