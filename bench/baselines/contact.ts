import { Queue } from 'bullmq';
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import { createDatabase } from '../../shared/node/database/database.ts';
import { apiPaths } from '../../shared/paths.ts';

/*
 * The baseline for contact requests: a minimal Fastify server that validates a request with a JSON schema, inserts it
 * and adds one job. It uses Knex and BullMQ directly, with the product's connection pool.
 */

interface ContactBody extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly spam: unknown;
}

const text = { type: 'string', minLength: 1, maxLength: 200 };
const schema = {
  body: {
    type: 'object',
    required: ['id', 'name', 'email', 'company'],
    properties: {
      id: { type: 'string', format: 'uuid' },
      name: text,
      email: { type: 'string', format: 'email' },
      company: text,
      phone: text,
      industry: text,
      message: { type: 'string', maxLength: 4_000 },
      spam: {
        type: 'object',
        properties: { honeypot: { type: 'string' }, filled_in_ms: { type: 'number' } },
      },
    },
  },
};

const { DATABASE_URL = '', REDIS_URL = '', HOST = '127.0.0.1', PORT } = process.env;
const database = createDatabase(DATABASE_URL, 'web');
const queue = new Queue('contact', { connection: new Redis(REDIS_URL, { maxRetriesPerRequest: null }) });
const app = Fastify();

app.get(apiPaths.live, async () => 'live');
app.post<{ Body: ContactBody }>(apiPaths.contactSubmissions, { schema }, async ({ body }, reply) => {
  const { spam: _spam, ...fields } = body;
  await database('contact_submissions').insert({ ...fields, submitted_at: database.fn.now() });
  await queue.add('contact', { id: body.id });

  return reply.code(201).send({ id: body.id });
});
await app.listen({ host: HOST, port: Number(PORT) });
