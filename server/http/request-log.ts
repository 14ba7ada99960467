import type { FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import type { RequestMetrics } from '../../shared/node/monitoring/site-metrics.ts';
import { Second } from '../../shared/time.ts';

interface RequestLogOptions {
  readonly metrics: RequestMetrics;
}

/** Whether the browser prefetches or prerenders (Sec-Purpose, Fetch Standard). */
export function isAskedAhead({ headers }: FastifyRequest): boolean {
  return headers['sec-purpose']?.toString().startsWith('prefetch') ?? false;
}

/**
 * One log line and one measurement per response, under its route's pattern: never the path or query,
 * which may carry tokens, and of which there are any number. What a browser asked for ahead of a visit, which may never
 * come, is marked as a prefetch.
 */
export const requestLog = fastifyPlugin<RequestLogOptions>(
  async (app, { metrics }) => {
    // These fields and no others: searching them for secrets would cost more than the line.
    const log = app.log.child({}, { redact: [] });

    app.addHook('onResponse', (request, reply, done) => {
      const { method, id: reqId, routeOptions } = request;
      const { statusCode: status, elapsedTime } = reply;
      const route = routeOptions.url ?? 'none';
      const isPrefetch = isAskedAhead(request);
      const ms = Math.round(elapsedTime * 10) / 10;
      log.info({ reqId, method, route, status, ms, ...(isPrefetch ? { prefetch: true } : {}) }, 'request completed');
      metrics.observeRequest({ method, route, status, seconds: elapsedTime / Second, isPrefetch });
      done();
    });
  },
  { name: 'request-log' },
);
