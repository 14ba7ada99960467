import { pino } from 'pino';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { createProofOfWork } from '../../server/contact/proof-of-work.ts';
import { createSubmissionLimits } from '../../server/contact/submission-limits.ts';
import {
  submitContactRequest,
  type SubmissionServices,
} from '../../server/contact/submit-contact-request.ts';
import { parseContactRequest } from '../../shared/contact/contact-request.ts';
import { planDeliveries } from '../../shared/deliveries/delivery.ts';
import { Hour } from '../../shared/time.ts';
import { makeContactBody } from '../support/contact-request.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';

let databaseUrl = '';

beforeAll(async () => {
  databaseUrl = await createMigratedDatabase();
});

/** The services of a web process, and the statements they send to PostgreSQL. */
async function setUp() {
  const logger = pino({ level: 'silent' });
  const database = openDatabase(databaseUrl, onTestFinished);
  const statements: string[] = [];
  database.on('query', ({ sql }: { readonly sql: string }) => statements.push(sql));
  const services: SubmissionServices = {
    database,
    scheduler: undefined,
    limits: createSubmissionLimits(undefined, { count: 10, windowMs: Hour }),
    proofOfWork: createProofOfWork(['a secret of thirty-two characters']),
    plan: planDeliveries({ reminderAfter: 20 * Hour, dueAfter: 24 * Hour }),
    logger,
  };

  return { services, statements };
}

async function submit(services: SubmissionServices, body: unknown) {
  const reading = parseContactRequest(body);
  if (!reading.ok) throw new Error('The body is not valid.');

  return submitContactRequest(services, reading.value, { client: '127.0.0.1', isPlainForm: false });
}

test('a new request costs four statements, its lock and the outbox included', async () => {
  const { services, statements } = await setUp();
  await submit(services, makeContactBody());

  expect(statements).toEqual([
    'BEGIN;',
    expect.stringContaining('pg_advisory_xact_lock'),
    expect.stringContaining('insert into'),
    'COMMIT;',
  ]);
});

test('a repeat costs one more, to compare its content', async () => {
  const { services, statements } = await setUp();
  const body = makeContactBody();
  await submit(services, body);
  statements.length = 0;
  const { isNew } = await submit(services, body);

  expect(isNew).toBe(false);
  expect(statements).toHaveLength(5);
});
