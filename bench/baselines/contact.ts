import { Queue } from 'bullmq';
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import type { Knex } from 'knex';
import { createDatabase } from '../../shared/node/database/database.ts';
import { apiPaths } from '../../shared/paths.ts';

/*
 * A Fastify with a JSON schema that stores a contact request: the least that could do the same, and what
 * the guarantees of the outbox add. `node contact.ts STEP`; each step includes those before it. Plain
 * Knex and BullMQ on a pool with the product's own settings.
 */

/** `insert` is the least without Redis, `job` the least with it. */
const steps = ['insert', 'job', 'transaction', 'deliveries', 'jobs'] as const;

export type ContactStep = (typeof steps)[number];

/** The outbox's rows of one request. */
const DELIVERIES = [
  { kind: 'follow-up', stage: 'new', hours: 0 },
  { kind: 'follow-up', stage: 'reminder', hours: 20 },
  { kind: 'follow-up', stage: 'due', hours: 24 },
  { kind: 'crm-export', stage: null, hours: 0 },
] as const;

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

async function insertSubmission(database: Knex, { spam: _spam, ...fields }: ContactBody): Promise<void> {
  await database('contact_submissions')
    .insert({ ...fields, submitted_at: database.fn.now() })
    .returning('id');
}

/** Returns the new rows. */
const insertDeliveries = (database: Knex, { id }: ContactBody) =>
  database('deliveries')
    .insert(
      DELIVERIES.map(({ kind, stage, hours }) => ({
        submission_id: id,
        kind,
        stage,
        due_at: database.raw("now() + ? * interval '1 hour'", [hours]),
      })),
    )
    .returning<Array<{ id: string }>>('id');

const { DATABASE_URL = '', REDIS_URL = '', HOST = '127.0.0.1', PORT } = process.env;
const step = steps.indexOf(process.argv[2] as ContactStep);
const includes = (wanted: ContactStep) => step >= steps.indexOf(wanted);
const database = createDatabase(DATABASE_URL, 'web');
const queue = includes('job')
  ? new Queue('contact', { connection: new Redis(REDIS_URL, { maxRetriesPerRequest: null }) })
  : undefined;

/** Returns the ids of what gets a job. */
async function store(body: ContactBody): Promise<readonly string[]> {
  if (!includes('transaction')) await insertSubmission(database, body);
  else if (!includes('deliveries')) {
    await database.transaction((transaction) => insertSubmission(transaction, body));
  } else {
    const deliveries = await database.transaction(async (transaction) => {
      await insertSubmission(transaction, body);

      return insertDeliveries(transaction, body);
    });
    if (includes('jobs')) return deliveries.map(({ id }) => id);
  }

  return [body.id];
}

const app = Fastify();
app.get('/', async () => 'ready');
app.post<{ Body: ContactBody }>(apiPaths.contactSubmissions, { schema }, async ({ body }, reply) => {
  const ids = await store(body);
  if (queue) await Promise.all(ids.map((id) => queue.add('contact', { id })));

  return reply.code(201).send({ id: body.id });
});
await app.listen({ host: HOST, port: Number(PORT) });
