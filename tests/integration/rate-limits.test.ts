import { describe, expect, onTestFinished, test } from 'vitest';
import { createSubmissionLimits } from '../../server/contact/submission-limits.ts';
import { submitContactRequest } from '../../server/contact/submit-contact-request.ts';
import { createWebMetrics } from '../../shared/node/monitoring/site-metrics.ts';
import { apiPaths } from '../../shared/paths.ts';
import { Minute } from '../../shared/time.ts';
import { buildTestApp } from '../support/build-test-app.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { createMemoryLogger } from '../support/memory-logger.ts';
import { startRedisServer } from '../support/delivery-fixture.ts';
import type { Environment } from '../support/site-process.ts';
import type { RequestTarget } from '../support/test-site.ts';

/** Builds an application that is closed when the test ends. */
async function buildApp(settings: Environment = {}) {
  const app = await buildTestApp(settings);
  onTestFinished(app.close);

  return app;
}

const postAs = async (app: RequestTarget, client: string, body = makeContactBody()) =>
  (await postContact(app, body, client)).status;

const subscribeAs = async (app: RequestTarget, client: string, email: string) => {
  const response = await app.fetch(apiPaths.newsletterSubscriptions, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
    client,
  });

  return response.status;
};

describe('form limits', () => {
  test('are shared by all web processes, and count neither repeats nor invalid requests', async () => {
    const redis = await startRedisServer();
    const settings = { DATABASE_URL: await createMigratedDatabase(), REDIS_URL: redis.url, RATE_LIMIT_CONTACT: '1/10m' };
    const [one, other] = [await buildApp(settings), await buildApp(settings)];

    const body = makeContactBody();

    expect(await postAs(other, '198.18.0.1', makeContactBody({ email: 'bad' }))).toBe(400);
    expect(await postAs(one, '198.18.0.1', body)).toBe(201);
    expect(await postAs(other, '198.18.0.1')).toBe(429);
    expect(await postAs(other, '198.18.0.1', body)).toBe(200);
    expect(await postAs(other, '198.18.0.2')).toBe(201);
  });

  test('count requests before a transaction begins, because a hung Redis would keep the transaction open', async () => {
    const database = openDatabase(await createMigratedDatabase(), onTestFinished);
    const limits = createSubmissionLimits(undefined, { count: 10, windowMs: 10 * Minute });
    const openTransactions: unknown[][] = [];
    const consume = async (client: string) => {
      openTransactions.push(
        await database('pg_stat_activity').whereRaw("datname = current_database() and state = 'idle in transaction'"),
      );

      return limits.consume(client);
    };
    await submitContactRequest(
      {
        ...{ database, plan: () => Promise.resolve([]), limits: { ...limits, consume }, scheduler: undefined },
        ...{ metrics: createWebMetrics(), logger: createMemoryLogger('web', 'info').logger },
      },
      makeContactBody({ spam: { honeypot: 'x' } }),
      { reqId: '', client: '198.18.0.1', channel: 'json' },
    );
    expect(openTransactions).toEqual([[]]);
  });

  test('allow ten newsletter requests an hour from a client and twenty from a network', async () => {
    const app = await buildApp();
    const statuses: number[] = [];
    const repeat = (status: number, count: number) => Array<number>(count).fill(status);
    for (let count = 0; count < 12; count += 1) {
      statuses.push(await subscribeAs(app, '198.18.2.0', `ada${count}@example.org`));
    }
    for (let host = 1; host <= 12; host += 1) {
      statuses.push(await subscribeAs(app, `198.18.2.${host}`, `eve${host}@example.org`));
    }

    expect(statuses).toEqual([...repeat(202, 10), ...repeat(429, 2), ...repeat(202, 10), ...repeat(429, 2)]);
    expect(await app.database('deliveries').where({ kind: 'newsletter' })).toHaveLength(20);
    expect(await subscribeAs(app, '198.18.3.1', 'bob@example.org')).toBe(202);
  });
});
