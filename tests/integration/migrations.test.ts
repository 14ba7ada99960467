import { expect, onTestFinished, test } from 'vitest';
import { contactLimits } from '../../shared/contact/contact-schema.ts';
import { deliveryStates, followUpStages } from '../../shared/deliveries/delivery.ts';
import type { DeliveryRow } from '../../shared/node/deliveries/delivery-table.ts';
import { NEWEST_MIGRATION } from '../../shared/node/database/schema.ts';
import { migrationSource } from '../../migrations/migration-source.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { finishMigrator, startMigrator } from '../support/migrator.ts';
import { waitFor } from '../support/wait-for.ts';

type NewDelivery = Partial<Pick<DeliveryRow, 'submission_id' | 'subscription_id' | 'subject' | 'kind' | 'stage' | 'recipient'>>;

const LEAD = '0198b7f0-6a3c-7c1e-9d52-3f0a6c1d2e4b';

test('a migrator continues after PostgreSQL ends its idle connection, and reports an error if it ends the other', async () => {
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

const listNames = () => migrationSource.getMigrations([]);

test('web and worker recognize their schema by the newest migration', async () => {
  expect((await listNames()).at(-1)).toBe(NEWEST_MIGRATION);
});

test('a delivery has one subject, and one about a submission or a named subject is stored once', async () => {
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

test('a newsletter address is stored once and within its length limits', async () => {
  const database = openDatabase(await createMigratedDatabase(), onTestFinished);
  const insert = (email: string) => database('newsletter_subscriptions').insert({ email });
  const { min, max } = contactLimits.email;

  for (const length of [min, max]) await insert('字'.repeat(length));
  for (const length of [min - 1, max + 1]) {
    await expect(insert('字'.repeat(length))).rejects.toThrow(/lengths/);
  }
  await expect(insert('字'.repeat(min))).rejects.toThrow(/email_unique/);
});

test('the checks accept only the values that the code knows', async () => {
  const database = openDatabase(await createMigratedDatabase(), onTestFinished);
  const listTaken = async (check: string) => {
    const { rows } = await database.raw<{ rows: Array<{ definition: string }> }>(
      'select pg_get_constraintdef(oid) as definition from pg_constraint where conname = ?',
      [check],
    );

    return [...(rows[0]?.definition ?? '').matchAll(/'([^']+)'/g)].map(([, value]) => value).sort();
  };

  expect(await listTaken('deliveries_stage')).toEqual([...followUpStages].sort());
  expect(await listTaken('deliveries_state')).toEqual([...deliveryStates].sort());
});

test('the database accepts values at the form’s limits and refuses values beyond them', async () => {
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

  for (const [column, { max }] of Object.entries({ name, email, company, phone, message })) {
    await insert({ [column]: '字'.repeat(max) });
    await expect(insert({ [column]: '字'.repeat(max + 1) })).rejects.toThrow(/lengths/);
  }
  for (const [column, { min }] of Object.entries({ name, email, company })) {
    await insert({ [column]: '字'.repeat(min) });
    await expect(insert({ [column]: '字'.repeat(min - 1) })).rejects.toThrow(/lengths/);
  }
});
