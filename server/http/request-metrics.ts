import type { FastifyInstance } from 'fastify';
import type { RequestMetrics } from '../../shared/node/monitoring/site-metrics.ts';
import { Second } from '../../shared/time.ts';

/** Measures every answer under its route's pattern: there are as many as routes, not addresses. */
export function registerRequestMetrics(app: FastifyInstance, metrics: RequestMetrics): void {
  app.addHook('onResponse', async (request, reply) => {
    metrics.observeRequest({
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      seconds: reply.elapsedTime / Second,
    });
  });
}
