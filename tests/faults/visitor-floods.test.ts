import { Agent, request } from 'node:http';
import { expect } from 'vitest';
import { apiPaths, routePatterns } from '../../shared/paths.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { startWeb } from '../support/delivery-fixture.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { PASSWORD, tryPassword } from '../support/insights-gate.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { waitFor } from '../support/wait-for.ts';
import { createDatabase, type Database } from '../../shared/node/database/database.ts';
import { faultRow } from './fault-row.ts';

const settings = { TRUST_PROXY: '127.0.0.1', INSIGHTS_PASSWORD: PASSWORD };

interface FloodPost {
  readonly path: string;
  readonly type: string;
  readonly body: string;
  readonly client: string;
}

/** The status of the response; 0 when the connection ended without one. */
function send(origin: string, agent: Agent, { path, type, body, client }: FloodPost): Promise<number> {
  return new Promise((resolve) => {
    const headers = { 'content-type': type, 'x-forwarded-for': client, accept: 'text/html' };
    const call = request(origin + path, { agent, method: 'POST', headers }, (response) => {
      response.resume().once('close', () => resolve(response.statusCode ?? 0));
    });
    call.once('error', () => resolve(0));
    call.end(body);
  });
}

/** What another visitor gets meanwhile: a page, and a response to a request, sent again where the machine is too busy. */
async function visit(origin: string, count: number): Promise<number[]> {
  const page = await fetch(`${origin}${routePatterns.home}`);
  await page.arrayBuffer();
  const body = makeContactBody();
  const lead = await waitFor('a response', async () => {
    const { status } = await postContact(origin, body, `203.0.${count}.1`);

    return status !== 503 && status;
  });

  return [page.status, lead];
}

faultRow(70, 'Five wrong passwords from each of 100 networks at once: all are checked, others are unaffected', async () => {
  const { origin } = await startWeb({ ...settings, DATABASE_URL: await createMigratedDatabase() });
  const agent = new Agent();
  const statuses: number[] = [];
  const flood = Array.from({ length: 500 }, async (_, count) => {
    const post = {
      path: apiPaths.insightsSession,
      type: 'application/json',
      body: JSON.stringify({ password: `guess ${count}` }),
      client: `2001:db8:${(count % 100).toString(16)}::1`,
    };
    statuses.push(await send(origin, agent, post));
  });

  for (let count = 0; count < 5; count += 1) expect(await visit(origin, count)).toEqual([200, 201]);
  await Promise.all(flood);
  expect(new Set(statuses)).toEqual(new Set([401]));

  const unlock = async () =>
    (await tryPassword(origin, { password: PASSWORD }, { client: '192.0.2.1' })).status;
  expect(await unlock()).toBe(204);
});

faultRow(71, 'Bad forms in a loop over 32 connections: each is answered, one client gets twelve pages of one form and sixty of the other, others are unaffected', async () => {
  const { origin } = await startWeb({ ...settings, DATABASE_URL: await createMigratedDatabase() });
  const agent = new Agent({ keepAlive: true });
  const places = [routePatterns.contact, routePatterns.newsletter];
  const statuses: number[] = [];
  let left = 1_500;
  const attack = async (client: string) => {
    while ((left -= 1) >= 0) {
      const path = places[left % places.length] ?? '/';
      const type = 'application/x-www-form-urlencoded';
      statuses.push(await send(origin, agent, { path, type, body: 'name=&email=x', client }));
    }
  };
  const attacks = Array.from({ length: 32 }, (_, count) =>
    // Half of them are one client, the others each their own.
    attack(count % 2 === 0 ? '198.51.100.7' : `2001:db8:${count.toString(16)}::1`),
  );

  for (let count = 0; left > 0; count += 1) {
    expect(await visit(origin, count % 250)).toEqual([200, 201]);
  }
  await Promise.all(attacks);
  agent.destroy();

  const countOf = (wanted: number) => statuses.filter((status) => status === wanted).length;
  expect(countOf(422) + countOf(429) + countOf(503)).toBe(1_500);
  expect(countOf(422)).toBeLessThanOrEqual(17 * (12 + 60));
  expect(countOf(429)).toBeGreaterThan(0);
});

const readWalPosition = async (database: Database): Promise<bigint> => {
  const { rows } = await database.raw<{ rows: Array<{ bytes: string }> }>(
    "select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes",
  );

  return BigInt(rows[0]?.bytes ?? 0);
};

/** Bytes; PostgreSQL's own processes write some now and then, and 300 rolled back posts 2 MB. */
const MAX_FOREIGN_WAL = 16_384n;

faultRow(72, '300 posts beyond a limit: 429, and PostgreSQL writes nothing of them', async () => {
  const postgres = await startOwnPostgres();
  const database = createDatabase(postgres.url, 'test');
  const { origin } = await startWeb({
    ...settings,
    DATABASE_URL: postgres.url,
    RATE_LIMIT_CONTACT: '2/10m',
  });
  const client = '198.51.100.7';
  const first = makeContactBody();
  expect((await postContact(origin, first, client)).status).toBe(201);
  expect((await postContact(origin, makeContactBody(), client)).status).toBe(201);
  // What a first reading of new rows writes.
  await database.raw('vacuum contact_submissions, deliveries');
  const before = await readWalPosition(database);

  const statuses: number[] = [];
  for (let round = 0; round < 10; round += 1) {
    const responses = await Promise.all(
      Array.from({ length: 30 }, () => postContact(origin, makeContactBody(), client)),
    );
    statuses.push(...responses.map(({ status }) => status));
  }
  const repeat = await postContact(origin, first, client);
  const written = (await readWalPosition(database)) - before;
  const rows = await database('contact_submissions').select('id');
  await database.destroy();

  expect(new Set(statuses)).toEqual(new Set([429]));
  expect(repeat.status).toBe(200);
  expect(rows).toHaveLength(2);
  expect(written).toBeLessThan(MAX_FOREIGN_WAL);
});
