import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { Registry } from 'prom-client';
import { Second } from '../../time.ts';
import { isLoopbackHost, parseAddress, withoutBrackets } from '../network/ip-address.ts';
import type { QueueBackend } from '../queues/job-queue.ts';
import { registerQueueBoard } from '../queues/queue-board.ts';

const BOARD = '/queues';

/** An answer that takes longer is given up; Prometheus waits 10 s unless told otherwise. */
const ANSWER_TIME = 8 * Second;

/** The board writes styles into its page; it may load nothing from elsewhere, fonts included. */
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

export interface MetricsServerPages {
  /** All metrics in Prometheus' text format. */
  readonly readMetrics: () => Promise<string>;
  readonly backend: QueueBackend;
  /** Names by which the listener may be called, besides loopback and the address it was reached at. */
  readonly hostNames: readonly string[];
}

/** Whether a host is the address at which the request arrived, IPv4 within IPv6 taken as IPv4. */
function isOwnAddress(host: string, { socket }: FastifyRequest): boolean {
  const own = parseAddress((socket.localAddress ?? '').replace(/%.*$/, ''));

  return own !== undefined && parseAddress(withoutBrackets(host))?.toString() === own.toString();
}

/**
 * Whether a request names this listener. A page elsewhere can have its own name lead here (DNS
 * rebinding) and would then read in its visitor's browser what is private; its name gives it away.
 */
function isForThisListener(request: FastifyRequest, names: ReadonlySet<string>): boolean {
  const url = `http://${request.headers.host ?? ''}`;
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);

  return names.has(hostname) || isLoopbackHost(hostname) || isOwnAddress(hostname, request);
}

/**
 * Builds the application of the private listener, which shares nothing with the public one: the
 * metrics and the queues' board, to be read only.
 */
export async function buildMetricsServer(pages: MetricsServerPages): Promise<FastifyInstance> {
  const app = Fastify({
    logger: false,
    requestTimeout: 5 * Second,
    handlerTimeout: ANSWER_TIME,
    forceCloseConnections: true,
  });
  const names = new Set(pages.hostNames.map((name) => name.toLowerCase()));

  app.addHook('onRequest', async (request, reply) => {
    reply.headers(headers);
    if (!isForThisListener(request, names)) {
      return reply.code(421).send({ error: 'This server doesn’t answer for this host.' });
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return reply.code(405).header('allow', 'GET, HEAD').send({ error: 'This is to be read only.' });
    }
  });
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).type('text/plain').send(`There are only /metrics and ${BOARD} here.\n`),
  );
  app.get('/metrics', async (_request, reply) =>
    reply.type(Registry.PROMETHEUS_CONTENT_TYPE).send(await pages.readMetrics()),
  );
  await app.register((scope) => registerQueueBoard(scope, pages.backend, BOARD));

  return app;
}
