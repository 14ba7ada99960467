import { Queue } from 'bullmq';
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import type { ContactFields } from '../../shared/contact/contact-schema.ts';
import { planDeliveries } from '../../shared/deliveries/delivery.ts';
import { createDatabase, type Database, type Transaction } from '../../shared/node/database/database.ts';
import { createDeliveryScheduler } from '../../shared/node/deliveries/delivery-scheduler.ts';
import { createQueueBackend } from '../../shared/node/queues/queue-backend.ts';
import { insertSubmission, insertWithDeliveries } from '../../shared/node/contact/contact-submission-store.ts';
import { apiPaths } from '../../shared/paths.ts';
import { Hour, Minute, Second } from '../../shared/time.ts';
import { createProducerConnection } from '../../shared/node/redis/connections.ts';
import { hashContactFields } from '../../server/contact/submit-contact-request.ts';
import { assessSpam } from '../../server/contact/assess-spam.ts';
import { createRateLimiter } from '../../server/rate-limits/rate-limiter.ts';
import { contactRungs, type ContactRung } from './contact-rungs.ts';

/*
 * Fastify with a JSON schema that stores a contact request, up to the rung given: the least that could
 * do the same, and what each guarantee adds. The pool of connections is the product's own, with its
 * settings, and so is the code of each guarantee; the insert and the one job of the limit are plain.
 */

interface ContactBody extends ContactFields {
  readonly id: string;
  readonly spam: { readonly honeypot: string; readonly filled_in_ms: number };
}

const rung = contactRungs.indexOf(process.argv[2] as ContactRung);
const reaches = (wanted: ContactRung) => rung >= contactRungs.indexOf(wanted);
const { DATABASE_URL = '', REDIS_URL = '', HOST = '127.0.0.1', PORT } = process.env;

const logger = pino({ level: 'silent' });
const database = createDatabase(DATABASE_URL, 'web');
const plan = planDeliveries({ reminderAfter: 20 * Hour, dueAfter: 24 * Hour });

async function connectQueues() {
  const redis = new Redis(REDIS_URL, { maxRetriesPerRequest: null });
  const limits = createProducerConnection(REDIS_URL, logger, 0.5 * Second);
  const backend = await createQueueBackend({ redisUrl: REDIS_URL, databaseUrl: DATABASE_URL, logger });

  return {
    queue: new Queue('contact', { connection: redis }),
    scheduler: createDeliveryScheduler(backend),
    limiter: createRateLimiter(limits, { name: 'bench', count: 1_000_000, windowMs: 10 * Minute }),
  };
}

const queues = reaches('job') ? await connectQueues() : undefined;

/** Writes what the rung writes; answers the deliveries whose jobs are to be queued. */
async function write(where: Database | Transaction, client: string, body: ContactBody) {
  const { id, spam, ...fields } = body;
  if (!reaches('repeats')) {
    await where('contact_submissions')
      .insert({ id, ...fields, submitted_at: where.fn.now() })
      .returning('id');

    return [];
  }

  const bodyHash = hashContactFields(fields);
  const submission = { id, ...fields, submittedAt: null, source: null, bodyHash };
  const isClean = !reaches('spam') || assessSpam(fields, spam).kind === 'clean';
  const transaction = where as Transaction;
  if (!reaches('outbox') || !isClean) {
    await insertSubmission(transaction, submission);

    return [];
  }
  const deliveries = await insertWithDeliveries(transaction, submission, plan);
  if (reaches('rate-limit')) await queues?.limiter.consume(client);

  return deliveries ?? [];
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

const app = Fastify();
app.get('/', async () => 'ready');
app.post<{ Body: ContactBody }>(apiPaths.contactSubmissions, { schema }, async (request, reply) => {
  const { body, ip } = request;
  const deliveries = reaches('transaction')
    ? await database.transaction((transaction) => write(transaction, ip, body))
    : await write(database, ip, body);
  if (reaches('jobs')) await queues?.scheduler.schedule(deliveries);
  else await queues?.queue.add('contact', { id: body.id });

  return reply.code(201).send({ id: body.id });
});
await app.listen({ host: HOST, port: Number(PORT) });
