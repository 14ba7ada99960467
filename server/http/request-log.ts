import fastifyPlugin from 'fastify-plugin';
import type { RequestMetrics } from '../../shared/node/monitoring/site-metrics.ts';
import { Second } from '../../shared/time.ts';

interface RequestLogOptions {
  readonly metrics: RequestMetrics;
}

/**
 * One log line and one measurement per response, under its route's pattern: never the path or query,
 * which may carry tokens, and of which there are any number.
 */
export const requestLog = fastifyPlugin<RequestLogOptions>(
  async (app, { metrics }) => {
    // These fields and no others: searching them for secrets would cost more than the line.
    const log = app.log.child({}, { redact: [] });

    app.addHook('onResponse', async (request, reply) => {
      const { method, id: reqId, routeOptions } = request;
      const { statusCode: status, elapsedTime } = reply;
      const route = routeOptions.url ?? 'none';
      log.info({ reqId, method, route, status, ms: Math.round(elapsedTime * 10) / 10 }, 'request completed');
      metrics.observeRequest({ method, route, status, seconds: elapsedTime / Second });
    });
  },
  { name: 'request-log' },
);
