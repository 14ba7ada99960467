import { expect, onTestFinished, test } from 'vitest';
import { contactLimits } from '../../shared/contact/contact-schema.ts';
import type { DeliveryRow } from '../../shared/node/deliveries/delivery-table.ts';
import { NEWEST_MIGRATION } from '../../shared/node/database/schema.ts';
import { migrationSource } from '../../migrations/migration-source.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { finishMigrator, startMigrator } from '../support/migrator.ts';
import { storeSubmission } from '../support/stored-requests.ts';
import { waitFor } from '../support/wait-for.ts';

type NewDelivery = Partial<Pick<DeliveryRow, 'submission_id' | 'subscription_id' | 'subject' | 'kind' | 'stage' | 'recipient'>>;

test('a migrator continues if PostgreSQL closes its idle connection, and fails if PostgreSQL closes its active connection', async () => {
  const DATABASE_URL = await createMigratedDatabase();
  const database = openDatabase(DATABASE_URL, onTestFinished);
  const endConnections = async (which: string) => {
    const { rows } = await database.raw<{ rows: unknown[] }>(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and ${which}`,
    );

    return rows.length > 0;
  };
  const migrateBeside = async (interrupt: () => Promise<void>) => {
    const migrator = startMigrator({ DATABASE_URL });
    await database.transaction(async (transaction) => {
      await transaction.raw('lock table knex_migrations_lock');
      await waitFor('the migrator to wait', () => endConnections(`query like '%pg_advisory_lock(%' and state = 'idle'`));
      await interrupt();
    });

    return finishMigrator(migrator);
  };

  expect(await migrateBeside(async () => undefined)).toMatchObject({ exitCode: 0 });
  const failed = await migrateBeside(async () => {
    await waitFor('the migration to wait', () => endConnections(`application_name = 'migrate' and wait_event_type = 'Lock'`));
  });
  expect(failed.exitCode).toBe(1);
  expect(failed.output).toMatch(/^PostgreSQL can't be used \(57P01\)/);
});

test('web and the worker recognize their schema by the last migration', async () => {
  expect((await migrationSource.getMigrations([])).at(-1)).toBe(NEWEST_MIGRATION);
});

test('a delivery has exactly one subject, and only a subscription can have several deliveries of a kind', async () => {
  const database = openDatabase(await createMigratedDatabase(), onTestFinished);
  const [subscription] = await database('newsletter_subscriptions')
    .insert({ email: 'ada@example.org' })
    .returning('id');
  const [lead, reader] = [{ submission_id: await storeSubmission(database) }, { subscription_id: subscription?.id ?? '' }];
  const insert = (row: NewDelivery) =>
    database('deliveries').insert({ ...row, due_at: database.fn.now() });

  await insert({ ...lead, kind: 'crm-export' });
  await insert({ ...reader, kind: 'newsletter' });
  await insert({ ...reader, kind: 'newsletter' });
  await insert({ subject: '2026-11-16', kind: 'report' });
  await insert({ subject: '2026-11-16', kind: 'report', recipient: 'a@b.c' });
  await expect(insert({ subject: '2026-11-16', kind: 'report' })).rejects.toThrow(/deliveries_once_per_subject/);
  await expect(insert({ ...lead, kind: 'crm-export' })).rejects.toThrow(/deliveries_once/);
  const wrongRows: NewDelivery[] = [
    { kind: 'newsletter' },
    { kind: 'report' },
    { ...lead, kind: 'newsletter' },
    { ...lead, kind: 'report', subject: '2026-11-16' },
    { ...reader, kind: 'crm-export' },
    { ...lead, ...reader, kind: 'newsletter' },
  ];
  for (const wrong of wrongRows) {
    await expect(insert(wrong)).rejects.toThrow(/deliveries_subject/);
  }

  await database('newsletter_subscriptions').delete();
  expect(await database('deliveries').distinct('kind').orderBy('kind')).toEqual([{ kind: 'crm-export' }, { kind: 'report' }]);
});

test('the database accepts values at the forms’ limits and refuses values beyond them', async () => {
  const database = openDatabase(await createMigratedDatabase(), onTestFinished);
  const { name, email, company, phone, message } = contactLimits;
  const store = (column: string, length: number) => storeSubmission(database, { [column]: '字'.repeat(length) });
  const subscribe = (length: number) => database('newsletter_subscriptions').insert({ email: '字'.repeat(length) });

  for (const [column, { max }] of Object.entries({ name, email, company, phone, message })) {
    await store(column, max);
    await expect(store(column, max + 1)).rejects.toThrow(/lengths/);
  }
  for (const [column, { min }] of Object.entries({ name, email, company })) {
    await store(column, min);
    await expect(store(column, min - 1)).rejects.toThrow(/lengths/);
  }
  for (const length of [email.min, email.max]) await subscribe(length);
  for (const length of [email.min - 1, email.max + 1]) await expect(subscribe(length)).rejects.toThrow(/lengths/);
  await expect(subscribe(email.min)).rejects.toThrow(/email_unique/);
});
