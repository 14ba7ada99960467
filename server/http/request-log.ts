import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebMetrics } from '../../shared/node/monitoring/site-metrics.ts';
import { Second } from '../../shared/time.ts';

/** Returns whether the browser prefetches or prerenders (Sec-Purpose, Fetch Standard). */
export function isPrefetch({ headers }: FastifyRequest): boolean {
  return headers['sec-purpose']?.toString().startsWith('prefetch') ?? false;
}

/** Logs and measures each response by its route's pattern, since a path or query may contain tokens. */
export function logRequests(app: FastifyInstance, metrics: WebMetrics): void {
  // These fields contain no secrets, and searching them would take longer than writing the line.
  const log = app.log.child({}, { redact: [] });

  app.addHook('onResponse', (request, reply, done) => {
    const { method, id: reqId, routeOptions } = request;
    const { statusCode: status, elapsedTime } = reply;
    const route = routeOptions.url ?? 'none';
    const prefetch = isPrefetch(request);
    const ms = Math.round(elapsedTime * 10) / 10;
    log.info({ reqId, method, route, status, ms, ...(prefetch ? { prefetch } : {}) }, 'request completed');
    metrics.observeRequest({ method, route, status, seconds: elapsedTime / Second, isPrefetch: prefetch });
    done();
  });
}
