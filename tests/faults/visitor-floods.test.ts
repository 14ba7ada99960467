import { expect } from 'vitest';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { startWeb } from '../support/delivery-fixture.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { createDatabase, type Database } from '../../shared/node/database/database.ts';
import { faultRow } from './fault-row.ts';

const readWalPosition = async (database: Database): Promise<bigint> => {
  const { rows } = await database.raw<{ rows: Array<{ bytes: string }> }>(
    "select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes",
  );

  return BigInt(rows[0]?.bytes ?? 0);
};

/** The most bytes allowed. PostgreSQL itself occasionally writes a little. 300 rolled-back posts would write 2 MB. */
const MAX_WAL_BYTES = 16_384n;

faultRow(72, '300 posts beyond a limit: they get 429, and PostgreSQL writes nothing for them', async () => {
  const postgres = await startOwnPostgres();
  const database = createDatabase(postgres.url, 'test');
  const { origin } = await startWeb({
    TRUST_PROXY: '127.0.0.1',
    DATABASE_URL: postgres.url,
    RATE_LIMIT_CONTACT: '2/10m',
  });
  const client = '198.51.100.7';
  const first = makeContactBody();
  expect((await postContact(origin, first, client)).status).toBe(201);
  expect((await postContact(origin, makeContactBody(), client)).status).toBe(201);
  // Without this, the first read of the new rows would write WAL.
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
  expect(written).toBeLessThan(MAX_WAL_BYTES);
});
