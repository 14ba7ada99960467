import { expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../../shared/node/database/database.ts';
import { migrateDatabase } from '../../shared/node/database/migrate.ts';
import { grantPrivileges } from '../../shared/node/database/roles.ts';
import { migrationSource } from '../../migrations/migration-source.ts';
import { createEmptyDatabase, createMigratedDatabase, openDatabase } from '../support/database.ts';

/** The advisory lock key for role changes: 'role' in ASCII. */
const ROLES_LOCK = 0x726f6c65;

const readSetting = (name: string) => `current_setting('${name}') as ${name}`;

test('a database URL can’t override the durability and timeout options, but can set others', async () => {
  const url = new URL(await createEmptyDatabase());
  const options = ['synchronous_commit=off', 'lock_timeout=0', 'work_mem=5MB'].map((option) => `-c ${option}`).join(' ');
  for (const [name, value] of [
    ...[['options', options], ['application_name', 'website'], ['statement_timeout', '0'], ['query_timeout', '0']],
    ...[['idle_in_transaction_session_timeout', '0'], ['client_encoding', 'UTF8']],
  ] as const) {
    url.searchParams.set(name, value);
  }
  const database = createDatabase(url.href, 'worker');
  onTestFinished(() => database.destroy());

  const names = ['synchronous_commit', 'lock_timeout', 'statement_timeout', 'application_name', 'work_mem'];
  const { rows } = await database.raw<{ rows: unknown[] }>(
    `select ${[...names, 'idle_in_transaction_session_timeout'].map(readSetting).join()}`,
  );
  expect(rows).toEqual([
    {
      synchronous_commit: 'on',
      lock_timeout: '3s',
      statement_timeout: '3s',
      application_name: 'worker',
      work_mem: '5MB',
      idle_in_transaction_session_timeout: '10s',
    },
  ]);
});

test('migrations and role changes wait five seconds for a lock, even if the URL has other options', async () => {
  const url = new URL(await createMigratedDatabase());
  const database = openDatabase(url.href, onTestFinished);
  url.searchParams.set('options', '-c work_mem=5MB');
  const refused = { status: 'rejected', reason: expect.objectContaining({ code: '55P03' }) as unknown };

  await database.transaction(async (transaction) => {
    await transaction.raw('lock table knex_migrations_lock');
    await transaction.raw('select pg_advisory_xact_lock(?)', [ROLES_LOCK]);
    const results = await Promise.allSettled([
      migrateDatabase(url.href, migrationSource),
      grantPrivileges({ ownerUrl: url.href, appUrl: url.href }),
    ]);
    expect(results).toEqual([refused, refused]);
  });
});
