import { expect, onTestFinished, test } from 'vitest';
import { contactLimits } from '../../shared/contact/contact-limits.ts';
import { industryValues } from '../../shared/contact/industry-options.ts';
import { migrateDatabase, rollbackDatabase } from '../../shared/node/migrate.ts';
import { listMigrationNames } from '../../shared/node/schema.ts';
import { createEmptyDatabase, createMigratedDatabase, openDatabase } from '../support/database.ts';
import { startProcess } from '../support/site-process.ts';
import { waitFor } from '../support/wait-for.ts';

test('three migrators at once on an empty database all succeed and apply each migration once', async () => {
  const url = await createEmptyDatabase();
  const migrators = [1, 2, 3].map(() => startProcess('migrations/main.ts', { DATABASE_URL: url }));
  await waitFor('the migrators to end', () => migrators.every(({ hasExited }) => hasExited()));

  expect(await Promise.all(migrators.map((migrator) => migrator.stop()))).toEqual([0, 0, 0]);
  const rows = await openDatabase(url, onTestFinished)('knex_migrations').orderBy('id');
  expect(rows.map(({ name }) => String(name))).toEqual(await listMigrationNames());
});

test('the lock row of a migrator that was killed does not stop the next one', async () => {
  const url = await createMigratedDatabase();
  const database = openDatabase(url, onTestFinished);
  await database('knex_migrations_lock').update({ is_locked: 1 });

  await expect(migrateDatabase(url)).resolves.toEqual([]);
});

test('up, down and up again leaves the same schema', async () => {
  const url = await createEmptyDatabase();
  const database = openDatabase(url, onTestFinished);
  const describeSchema = async () => {
    const columns = await database('information_schema.columns')
      .where({ table_schema: 'public' })
      .orderBy(['table_name', 'column_name'])
      .select('table_name', 'column_name', 'data_type', 'is_nullable', 'column_default');
    const indexes = await database('pg_indexes')
      .where({ schemaname: 'public' })
      .orderBy('indexname')
      .select('indexname', 'indexdef');

    return { columns, indexes };
  };
  await migrateDatabase(url);
  const first = await describeSchema();

  await rollbackDatabase(url);
  expect(await database.schema.hasTable('contact_submissions')).toBe(false);
  await migrateDatabase(url);

  expect(await describeSchema()).toEqual(first);
});

test('the limits are those the released migration was written with', () => {
  // It imports them: changing one here needs a migration that replaces the check in databases
  // that exist, and only then new numbers in this test.
  expect(contactLimits).toEqual({
    name: { min: 1, max: 200 },
    email: { min: 3, max: 254 },
    company: { min: 1, max: 200 },
    phone: { max: 40 },
    message: { max: 5_000 },
  });
  expect(industryValues).toHaveLength(10);
});

test('the database refuses what passes the form’s limits, and takes what reaches them', async () => {
  const database = openDatabase(await createMigratedDatabase(), onTestFinished);
  const insert = (changes: Record<string, unknown>) =>
    database('contact_submissions').insert({
      id: database.raw('gen_random_uuid()'),
      name: 'a',
      email: 'a@b.c',
      company: 'a',
      submitted_at: database.fn.now(),
      ...changes,
    });
  const { name, email, company, phone, message } = contactLimits;

  for (const [column, max] of Object.entries({
    name: name.max,
    email: email.max,
    company: company.max,
    phone: phone.max,
    message: message.max,
  })) {
    await insert({ [column]: '字'.repeat(max) });
    await expect(insert({ [column]: '字'.repeat(max + 1) })).rejects.toThrow(/lengths/);
  }
  await expect(insert({ name: '' })).rejects.toThrow(/lengths/);
  for (const industry of industryValues) await insert({ industry });
  await expect(insert({ industry: 'confectionery' })).rejects.toThrow(/industry/);
});
