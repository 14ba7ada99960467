import { expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../../shared/node/database/database.ts';
import { describeError } from '../../shared/node/logging/describe-error.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';

const readSetting = (name: string) => `current_setting('${name}') as ${name}`;

test('what a URL says replaces none of the options by which nothing is lost and nobody waits for ever; others hold', async () => {
  const url = new URL(await createEmptyDatabase());
  const own = ['synchronous_commit=off', 'lock_timeout=0', 'work_mem=5MB'].map((option) => `-c ${option}`).join(' ');
  for (const [name, value] of [
    ...[['options', own], ['application_name', 'website'], ['statement_timeout', '0'], ['query_timeout', '0']],
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

test('the log says by what a query failed, without its SQL', async () => {
  const proxy = await startFaultProxy(await createEmptyDatabase());
  onTestFinished(() => proxy.close());
  proxy.cutResponsesTo('canary', 1);
  const database = createDatabase(proxy.url, 'web');
  onTestFinished(() => database.destroy());

  const description = await database.raw("select 'canary'").catch(describeError);

  expect(description).toMatchObject({ message: 'Connection terminated unexpectedly' });
  expect(JSON.stringify(description)).not.toContain('canary');
});
