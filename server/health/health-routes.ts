import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { buildFolder, getBuildId } from '../../shared/node/content/build-folder.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { readSchemaState, type SchemaState } from '../../shared/node/database/schema.ts';
import { apiPaths } from '../../shared/paths.ts';

interface HealthOptions {
  readonly database: Database;
  /** Undefined if jobs don't run on Redis. */
  readonly isRedisReady: (() => boolean) | undefined;
}

type SchemaHealth = SchemaState | 'unknown';

async function readSchemaHealth(
  database: Database,
  logger: FastifyBaseLogger,
): Promise<SchemaHealth> {
  try {
    return await readSchemaState(database);
  } catch (error) {
    logger.warn({ err: error }, 'The schema could not be read.');

    return 'unknown';
  }
}

/** Creates a reader whose concurrent calls share one query, so that a flood of health checks uses one connection. */
function makeSchemaReader(database: Database, logger: FastifyBaseLogger): () => Promise<SchemaHealth> {
  let reading: Promise<SchemaHealth> | undefined;

  return () =>
    (reading ??= readSchemaHealth(database, logger).finally(() => {
      reading = undefined;
    }));
}

/** Routes `GET /health/live` and `/health/ready` for orchestrators and load balancers. */
export async function health(app: FastifyInstance, { database, isRedisReady }: HealthOptions): Promise<void> {
  app.get(apiPaths.live, async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'live' }),
  );

  const readSchema = makeSchemaReader(database, app.log);
  const build = getBuildId(buildFolder);

  app.get(apiPaths.ready, async (_request, reply) => {
    const schema = await readSchema();
    const isReady = schema === 'current' && !app.isShuttingDown();
    const redis = isRedisReady ? (isRedisReady() ? 'up' : 'down') : 'unused';

    return reply
      .code(isReady ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({
        status: isReady ? 'ready' : 'not-ready',
        postgres: schema === 'unknown' ? 'down' : 'up',
        schema,
        redis,
        build,
      });
  });
}
