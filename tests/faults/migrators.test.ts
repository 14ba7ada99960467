import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect, onTestFinished } from 'vitest';
import { migrationSource } from '../../migrations/migration-source.ts';
import { createDatabase, type Database } from '../../shared/node/database/database.ts';
import { migrateDatabase } from '../../shared/node/database/migrate.ts';
import { copyDatabase, createEmptyDatabase, openDatabase } from '../support/database.ts';
import { runMigrator, startMigrator } from '../support/migrator.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';

async function listApplied(database: Database): Promise<string[]> {
  const rows = await database('knex_migrations').orderBy('id').select('name');

  return rows.map(({ name }) => name);
}

const listNames = () => migrationSource.getMigrations([]);

/** Creates a database without the newest `back` migrations. */
async function createOldDatabase(back: number): Promise<string> {
  const url = await createEmptyDatabase();
  await migrateDatabase(url, {
    ...migrationSource,
    getMigrations: async () => (await listNames()).slice(0, -back),
  });

  return url;
}

const ROUNDS = 10;
const MIGRATORS = 3;

/** Starts a process that migrates databases. Returns a function that makes it migrate one. */
function startConcurrentMigrator() {
  const child = spawn(process.execPath, ['tests/faults/migrator-entry.ts'], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let errorOutput = '';
  child.stderr.on('data', (chunk: Buffer) => (errorOutput += chunk.toString()));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();

  return async (url: string) => {
    child.stdin.write(`${url}\n`);
    expect((await lines.next()).value, errorOutput).toBe('done');
  };
}

faultRow(53, 'Three concurrent migrators, ten times each on an empty and on an older database: all succeed, and each migration runs once', async (chance) => {
  const names = await listNames();
  const old = await createOldDatabase(chance.between(1, names.length - 1));
  const migrators = Array.from({ length: MIGRATORS }, startConcurrentMigrator);

  for (let round = 0; round < ROUNDS; round += 1) {
    for (const url of [await createEmptyDatabase(), await copyDatabase(old)]) {
      await Promise.all(migrators.map((migrate) => migrate(url)));
      const database = createDatabase(url, 'test');
      expect(await listApplied(database)).toEqual(names);
      await database.destroy();
    }
  }

  const url = await createEmptyDatabase();
  const runs = Array.from({ length: MIGRATORS }, () => runMigrator({ DATABASE_URL: url }));
  expect((await Promise.all(runs)).map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
  expect(await listApplied(openDatabase(url, onTestFinished))).toEqual(names);
});

/** Slows each schema change down, so that a kill hits a running migration. */
const slowDown = `
  create function slow_down() returns event_trigger language plpgsql as
    $$ begin perform pg_sleep(0.05); end $$;
  create event trigger slow_down on ddl_command_end execute function slow_down();
`;

const readSchema = async (database: Database) =>
  database('information_schema.columns')
    .where({ table_schema: 'public' })
    .whereNot('table_name', 'like', 'knex%')
    .orderBy(['table_name', 'column_name'])
    .select('table_name', 'column_name', 'data_type');

const countMigratorConnections = async (database: Database) => {
  const { rows } = await database.raw<{ rows: unknown[] }>(
    "select from pg_stat_activity where datname = current_database() and application_name = 'migrate'",
  );

  return rows.length;
};

faultRow(54, 'kill -9 of a migrator during its migrations: all are rolled back, no lock is left, and the next run succeeds', async (chance) => {
  const whole = await createEmptyDatabase();
  await migrateDatabase(whole, migrationSource);
  const wanted = await readSchema(openDatabase(whole, onTestFinished));
  let kills = 0;

  for (let round = 0; round < 4; round += 1) {
    const url = await createEmptyDatabase();
    const database = openDatabase(url, onTestFinished);
    await database.raw(slowDown);
    const migrator = startMigrator({ DATABASE_URL: url });
    await waitFor('the migrations to begin', () => countMigratorConnections(database));
    await chance.letTimePass(1_200);
    if (!migrator.hasExited()) kills += 1;
    await migrator.stop('SIGKILL');
    await waitFor('PostgreSQL to close the connections', async () => (await countMigratorConnections(database)) === 0);

    const schema = await readSchema(database);
    if (schema.length > 0) expect(schema).toEqual(wanted);
    else if (await database.schema.hasTable('knex_migrations')) {
      expect(await listApplied(database)).toEqual([]);
    }
    await database.raw('drop event trigger slow_down');
    const next = await runMigrator({ DATABASE_URL: url });
    expect(next.exitCode, next.output).toBe(0);
    expect(await readSchema(database)).toEqual(wanted);
    expect(await listApplied(database)).toEqual(await listNames());
  }
  expect(kills).toBeGreaterThan(0);
});
