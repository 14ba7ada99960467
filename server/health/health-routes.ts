import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Database } from '../../shared/node/database/database.ts';
import { readSchemaState, type SchemaState } from '../../shared/node/database/schema.ts';
import { apiPaths } from '../../shared/paths.ts';

export interface HealthServices {
  readonly database: Database;
  /** Undefined where jobs don't run on Redis. */
  readonly isRedisReady: (() => boolean) | undefined;
  /** Whether the process ends: whoever can go elsewhere should. */
  readonly isShuttingDown: () => boolean;
}

type SchemaHealth = SchemaState | 'unknown';

async function readSchemaHealth(
  database: Database,
  logger: FastifyBaseLogger,
): Promise<SchemaHealth> {
  try {
    return await readSchemaState(database);
  } catch (error) {
    logger.warn({ err: error }, 'The database can’t be asked.');

    return 'unknown';
  }
}

/** `GET /health/live` and `/health/ready`, for supervisors and load balancers. */
export function registerHealth(app: FastifyInstance, services: HealthServices): void {
  app.get(apiPaths.live, async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'live' }),
  );

  app.get(apiPaths.ready, async (request, reply) => {
    const schema = await readSchemaHealth(services.database, request.log);
    const isReady = schema === 'current' && !services.isShuttingDown();
    const redis = services.isRedisReady ? (services.isRedisReady() ? 'up' : 'down') : 'unused';

    return reply
      .code(isReady ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({
        status: isReady ? 'ready' : 'not-ready',
        postgres: schema === 'unknown' ? 'down' : 'up',
        schema,
        redis,
      });
  });
}
