import { expect, onTestFinished, test } from 'vitest';
import { contactLimits } from '../../shared/contact/contact-schema.ts';
import { industryValues } from '../../shared/contact/industry-options.ts';
import { migrateDatabase, rollbackDatabase } from '../../shared/node/database/migrate.ts';
import type { DeliveryRow } from '../../shared/node/deliveries/delivery-table.ts';
import { listMigrationNames, migrationsFolder } from '../../shared/node/database/schema.ts';
import type * as Migration from '../../migrations/20251121090100_add_newsletter_deliveries.ts';
import { createEmptyDatabase, createMigratedDatabase, openDatabase } from '../support/database.ts';

type NewDelivery = Partial<Pick<DeliveryRow, 'submission_id' | 'subscription_id' | 'kind' | 'stage'>>;

const LEAD = '0198b7f0-6a3c-7c1e-9d52-3f0a6c1d2e4b';

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
    const { rows: constraints } = await database.raw<{ rows: unknown[] }>(`
      select conrelid::regclass::text as place, conname, pg_get_constraintdef(oid) as definition
      from pg_constraint where connamespace = 'public'::regnamespace order by 1, 2
    `);

    return { columns, indexes, constraints };
  };
  await migrateDatabase(url);
  const first = await describeSchema();

  await rollbackDatabase(url);
  expect(await database.schema.hasTable('contact_submissions')).toBe(false);
  await migrateDatabase(url);

  expect(await describeSchema()).toEqual(first);
});

test('what the newsletter adds to the outbox can be taken back, with its mails', async () => {
  const url = await createMigratedDatabase();
  const database = openDatabase(url, onTestFinished);
  await database('contact_submissions').insert({
    id: LEAD,
    name: 'a',
    email: 'a@b.c',
    company: 'a',
    submitted_at: database.fn.now(),
  });
  const about = (subject: NewDelivery) =>
    database('deliveries').insert({ ...subject, due_at: database.fn.now() });
  await about({ submission_id: LEAD, kind: 'crm-export' });
  const [subscription] = await database('newsletter_subscriptions')
    .insert({ email: 'ada@example.org' })
    .returning('id');
  await about({ subscription_id: subscription?.id ?? '', kind: 'newsletter' });

  for (const name of (await listMigrationNames()).slice(2).reverse()) {
    const { down } = (await import(new URL(name, migrationsFolder).href)) as typeof Migration;
    await down(database);
  }

  expect(await database('deliveries').select('submission_id', 'kind')).toEqual([
    { submission_id: LEAD, kind: 'crm-export' },
  ]);
  await expect(about({ submission_id: LEAD, kind: 'crm-export' })).rejects.toThrow(/deliveries_once/);
  await expect(about({ kind: 'follow-up', stage: 'new' })).rejects.toThrow(/not-null/);
});

test('a delivery is about one thing, and those about a submission are made once', async () => {
  const database = openDatabase(await createMigratedDatabase(), onTestFinished);
  await database('contact_submissions').insert({
    id: LEAD,
    name: 'a',
    email: 'a@b.c',
    company: 'a',
    submitted_at: database.fn.now(),
  });
  const [subscription] = await database('newsletter_subscriptions')
    .insert({ email: 'ada@example.org' })
    .returning('id');
  const [lead, reader] = [{ submission_id: LEAD }, { subscription_id: subscription?.id ?? '' }];
  const insert = (row: NewDelivery) =>
    database('deliveries').insert({ ...row, due_at: database.fn.now() });

  await insert({ ...lead, kind: 'crm-export' });
  await insert({ ...reader, kind: 'newsletter' });
  await insert({ ...reader, kind: 'newsletter' });
  await expect(insert({ ...lead, kind: 'crm-export' })).rejects.toThrow(/deliveries_once/);
  const wrongRows: NewDelivery[] = [
    { kind: 'newsletter' },
    { ...lead, kind: 'newsletter' },
    { ...reader, kind: 'crm-export' },
    { ...lead, ...reader, kind: 'newsletter' },
  ];
  for (const wrong of wrongRows) {
    await expect(insert(wrong)).rejects.toThrow(/deliveries_subject/);
  }

  await database('newsletter_subscriptions').delete();
  expect(await database('deliveries').select('kind')).toEqual([{ kind: 'crm-export' }]);
});

test('an address of the newsletter is kept once and within the limits of its length', async () => {
  const database = openDatabase(await createMigratedDatabase(), onTestFinished);
  const insert = (email: string) => database('newsletter_subscriptions').insert({ email });
  const { min, max } = contactLimits.email;

  for (const length of [min, max]) await insert('字'.repeat(length));
  for (const length of [min - 1, max + 1]) {
    await expect(insert('字'.repeat(length))).rejects.toThrow(/lengths/);
  }
  await expect(insert('字'.repeat(min))).rejects.toThrow(/email_unique/);
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
