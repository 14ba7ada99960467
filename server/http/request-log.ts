import type { FastifyInstance } from 'fastify';

/** One line per answer: the route, never the path or query, which may carry tokens. */
export function registerRequestLog(app: FastifyInstance): void {
  // These fields and no others: looking through them for secrets would cost more than the line.
  const log = app.log.child({}, { redact: [] });

  app.addHook('onResponse', async (request, reply) => {
    log.info(
      {
        reqId: request.id,
        method: request.method,
        route: request.routeOptions.url ?? 'none',
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
      },
      'answered',
    );
  });
}
