import { describe, expect, onTestFinished, test } from 'vitest';
import { apiPaths } from '../../shared/paths.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { createRedisServer } from '../support/redis-server.ts';
import { startWebProcess, type Environment } from '../support/site-process.ts';
import { waitFor } from '../support/wait-for.ts';

async function startRedis() {
  const redis = await createRedisServer();
  onTestFinished(() => redis.remove());
  await redis.start();

  return redis;
}

/** Web processes with one database and one Redis, which believe what a proxy says of clients. */
async function startWebs(count: number, settings: Environment) {
  const databaseUrl = await createMigratedDatabase();
  const webs = await Promise.all(
    Array.from({ length: count }, () =>
      startWebProcess({ DATABASE_URL: databaseUrl, TRUST_PROXY: '127.0.0.1', ...settings }),
    ),
  );
  onTestFinished(async () => {
    await Promise.all(webs.map((web) => web.stop()));
  });

  return { webs, database: openDatabase(databaseUrl, onTestFinished) };
}

type Body = ReturnType<typeof makeContactBody>;

const postAs = async (origin: string, client: string, body: Body = makeContactBody()) =>
  (await postContact(origin, body, client)).status;

const subscribeAs = async (origin: string, client: string, email: string) =>
  (
    await fetch(origin + apiPaths.newsletterSubscriptions, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': client },
      body: JSON.stringify({ email }),
    })
  ).status;

describe('the limits of forms', () => {
  test('hold for all web processes together, count what is accepted, and never a repeat', async () => {
    const redis = await startRedis();
    const settings = { REDIS_URL: redis.url, RATE_LIMIT_CONTACT: '3/10m' };
    const { webs } = await startWebs(2, settings);
    const [one, other] = webs.map(({ origin }) => origin) as [string, string];
    const client = '198.18.0.1';
    const first = makeContactBody();

    const statuses = [
      await postAs(one, client, first),
      await postAs(other, client, first),
      await postAs(other, client, makeContactBody({ email: 'bad' })),
      await postAs(other, client),
      await postAs(one, client),
      await postAs(other, client),
      await postAs(one, client),
      await postAs(other, client, first),
    ];

    expect(statuses).toEqual([201, 200, 400, 201, 201, 429, 429, 200]);
    expect(await postAs(other, '198.18.0.2')).toBe(201);
  });

  test('let the last request of a client be sent twice at the same time', async () => {
    const redis = await startRedis();
    const { webs } = await startWebs(2, { REDIS_URL: redis.url, RATE_LIMIT_CONTACT: '1/10m' });
    const clients = Array.from({ length: 10 }, (_, index) => `198.18.1.${index}`);

    const statuses = await Promise.all(
      clients.map((client) => {
        const body = makeContactBody();

        return Promise.all(webs.map(({ origin }) => postAs(origin, client, body)));
      }),
    );

    expect(statuses.map((pair) => pair.toSorted())).toEqual(clients.map(() => [200, 201]));
  });

  test('count the addresses of an IPv6 network as one client', async () => {
    const redis = await startRedis();
    const { webs } = await startWebs(1, { REDIS_URL: redis.url, RATE_LIMIT_CONTACT: '2/10m' });
    const origin = webs[0]?.origin ?? '';

    const statuses: number[] = [];
    for (const client of ['2001:db8:7:7::1', '2001:db8:7:7::2', '2001:db8:7:7:3:4:5:6']) {
      statuses.push(await postAs(origin, client));
    }

    expect(statuses).toEqual([201, 201, 429]);
    expect(await postAs(origin, '2001:db8:7:8::1')).toBe(201);
  });

  test('are half as high in each process while Redis is away, and nobody is shut out', async () => {
    const redis = await startRedis();
    const settings = { REDIS_URL: redis.url, RATE_LIMIT_CONTACT: '4/10m' };
    const { webs } = await startWebs(2, settings);
    const [one, other] = webs.map(({ origin }) => origin) as [string, string];
    await redis.kill();
    await waitFor('both to hear of it', () =>
      webs.every((web) => web.output().includes('Redis is away')),
    );
    const client = '198.18.0.1';

    const statuses: number[] = [];
    for (const origin of [one, one, one, other, other, other]) {
      statuses.push(await postAs(origin, client));
    }

    expect(statuses).toEqual([201, 201, 429, 201, 201, 429]);
    expect(await postAs(one, '198.18.0.2')).toBe(201);
  });

  test('take no patience of visitors while Redis hangs', async () => {
    const redis = await startRedis();
    const { webs } = await startWebs(1, { REDIS_URL: redis.url });
    const origin = webs[0]?.origin ?? '';
    expect(await postAs(origin, '198.18.0.1')).toBe(201);
    redis.freeze();

    const waits: number[] = [];
    for (let count = 0; count < 5; count += 1) {
      const start = performance.now();
      expect(await postAs(origin, '198.18.0.2')).toBe(201);
      waits.push(performance.now() - start);
    }
    redis.thaw();

    // Half a second for the count, and what the rest takes on a busy machine.
    expect(Math.max(...waits)).toBeLessThan(1_500);
  });

  test('give a count back when the commit fails', async () => {
    const redis = await startRedis();
    const { webs, database } = await startWebs(1, {
      REDIS_URL: redis.url,
      RATE_LIMIT_CONTACT: '1/10m',
    });
    const origin = webs[0]?.origin ?? '';
    // Raised when the transaction commits, after everything else went well.
    await database.raw(`
      create function refuse() returns trigger language plpgsql as
        $$ begin raise exception 'disk full' using errcode = '53100'; end $$;
      create constraint trigger refuse after insert on contact_submissions
        deferrable initially deferred for each row execute function refuse()
    `);
    expect(await postAs(origin, '198.18.0.1')).toBe(503);
    await database.raw('drop function refuse cascade');

    expect(await postAs(origin, '198.18.0.1')).toBe(201);
    expect(await postAs(origin, '198.18.0.1')).toBe(429);
  });

  test('hold for the newsletter too, over all web processes', async () => {
    const redis = await startRedis();
    const { webs } = await startWebs(2, { REDIS_URL: redis.url });
    const statuses: number[] = [];
    for (let count = 0; count < 11; count += 1) {
      const origin = webs[count % 2]?.origin ?? '';
      statuses.push(await subscribeAs(origin, '198.18.0.1', `ada${count}@example.org`));
    }

    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 202), 429]);
  });
});
