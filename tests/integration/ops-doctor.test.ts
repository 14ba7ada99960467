import { describe, expect, test } from 'vitest';
import { Hour, Minute } from '../../shared/time.ts';
import { ago } from '../support/ago.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { openWorker } from '../support/open-site.ts';
import { connectAsWorker, setUpOps as setUpTool, storeDelivery, storeSubmission } from '../support/ops-fixture.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { startLocalServer } from '../support/local-server.ts';
import { startRedisServer } from '../support/delivery-fixture.ts';
import type { OpsResult } from '../support/run-ops.ts';
import { startSmtpSink } from '../support/smtp-sink.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** Sets up the tool for a site whose form accepts every request. */
async function setUpOps(changes: Parameters<typeof setUpTool>[0] = {}, databaseUrl?: string) {
  const PUBLIC_URL = await startLocalServer(({ method }, response) =>
    method === 'GET' ? response.end('<input name="subject">') : response.writeHead(204).end(),
  );

  return setUpTool({ PUBLIC_URL, ...changes }, databaseUrl);
}

/** Lists the lines of failed checks. */
const listFailures = ({ output }: OpsResult) => output.split('\n').filter((line) => line.startsWith('fail'));

/** Expects exactly one failed check, with this line, and exit code 1. */
function expectOneFailure(result: OpsResult, line: RegExp) {
  const failures = listFailures(result);
  expect(failures, result.output + result.errorOutput).toHaveLength(1);
  expect(failures[0]).toMatch(line);
  expect(result.exitCode).toBe(1);
}

/** Sets up the tool and a connection like a worker's, so the worker check passes. */
async function setUpWithWorker(...setup: Parameters<typeof setUpOps>) {
  const fixture = await setUpOps(...setup);
  await connectAsWorker(fixture.settings['DATABASE_URL'] ?? '');

  return fixture;
}

test('none of the doctor’s checks fails while everything works', async () => {
  const redis = await startRedisServer();
  const sink = await startSmtpSink();
  const { ops, settings, database } = await setUpOps({ REDIS_URL: redis.url, SMTP_URL: sink.url });
  await openWorker(settings);
  await storeSubmission(database, { quarantined_at: new Date() });

  const text = await ops('doctor');
  expect(text.exitCode, text.output).toBe(0);
  // The disk belongs to the machine that runs the test.
  expect(text.output).not.toMatch(/^(?:warn|fail|skip) +(?!disk )/m);
  expect(text.output).toMatch(/^info {2}quarantine .*1 held/m);
  const { output } = await ops('doctor', '--json');
  const { ok, findings } = JSON.parse(output) as { ok: boolean; findings: Array<{ check: string }> };
  expect(ok).toBe(true);
  expect(findings.map(({ check }) => check)).toEqual(
    expect.arrayContaining(['postgres', 'schema', 'fsync', 'full_page_writes', 'clock', 'redis', 'redis policy', 'redis aof', 'mail', 'sender', 'form', 'form now', 'crm', 'worker', 'oldest due delivery', 'dead deliveries', 'erasures']),
  );
});

describe('doctor reports in one line', () => {
  test('each invalid setting', async () => {
    const { ops } = await setUpOps({ CRM_DRI: 'x', RETENTION_MONTHS: 'many' });
    const result = await ops('doctor');
    expect(result.exitCode).toBe(1);
    expect(listFailures(result)).toEqual([
      expect.stringMatching(/settings .*RETENTION_MONTHS/),
      expect.stringMatching(/settings .*CRM_DRI is not a setting/),
    ]);
  });

  test('each unknown name in .env, without its value, and still runs the other checks', async () => {
    const SECRETS_DIR = makeTemporaryFolder();
    const stack = { SECRETS_DIR, ENV_FILE: '.env', POSTGRES_PASSWORD: 'x', HTTP_PORT: '80' };
    const { ops } = await setUpWithWorker({ ...stack, SMPT_URL: 'smtp://hidden', BACKUPS_KEEP: '7' });
    const result = await ops('doctor');

    expect(listFailures(result)).toEqual([
      expect.stringMatching(/settings .*SMPT_URL is not a setting; did you mean SMTP_URL\?$/),
      expect.stringMatching(/settings .*BACKUPS_KEEP is not a setting; did you mean BACKUP_KEEP\?$/),
    ]);
    expect(result.output).toMatch(/^ok +schema/m);
    expect(result.output).not.toContain('hidden');
  });

  test('that PostgreSQL is down, or refuses the login', async () => {
    const { ops } = await setUpOps({ DATABASE_URL: 'postgres://a:secret-word@127.0.0.1:1/site' });
    const result = await ops('doctor');
    expectOneFailure(result, /postgres .*can't be reached at 127.0.0.1:1.*ECONNREFUSED/);
    expect(result.output).not.toContain('secret-word');

    const url = new URL(await createEmptyDatabase());
    url.password = 'wrong';
    const refused = await setUpOps({ DATABASE_URL: url.href });
    expectOneFailure(await refused.ops('doctor'), /postgres .*refuses the login.*28P01/);
  });

  test('that the schema is behind', async () => {
    const { ops } = await setUpOps({ DATABASE_URL: await createEmptyDatabase() });
    expectOneFailure(await ops('doctor'), /schema .*run the migrations/);
  });

  test('that PostgreSQL loses committed rows in a power failure, or is read-only', async () => {
    const server = await startOwnPostgres({ fsync: 'off', full_page_writes: 'off' });
    const { ops, database } = await setUpWithWorker({}, server.url);

    const result = await ops('doctor');
    expect(result.exitCode).toBe(1);
    expect(listFailures(result)).toEqual([
      expect.stringMatching(/fsync .*is off\. Set fsync/),
      expect.stringMatching(/full_page_writes .*is off\. Set/),
    ]);

    await database.raw('alter system set default_transaction_read_only = on');
    await database.raw('select pg_reload_conf()');
    expect(listFailures(await ops('doctor'))[0]).toMatch(/postgres .*read-only/);
  });

  test('that Redis is down, evicts jobs, or loses them', async () => {
    const redis = await startRedisServer();
    const { ops } = await setUpWithWorker({ REDIS_URL: redis.url });
    await redis.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    expectOneFailure(await ops('doctor'), /redis policy .*allkeys-lru.*noeviction/);
    await redis.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    await redis.command('CONFIG', 'SET', 'appendonly', 'no');
    expectOneFailure(await ops('doctor'), /redis aof .*is off/);
    await redis.command('CONFIG', 'SET', 'appendonly', 'yes');
    await redis.command('CONFIG', 'SET', 'requirepass', 'x');
    expectOneFailure(await ops('doctor'), /redis .*refuses the login.*NOAUTH/);
    redis.freeze();
    expectOneFailure(await ops('doctor'), /redis .*can't be reached/);
    await redis.kill();
    expectOneFailure(await ops('doctor'), /redis .*can't be reached.*ECONNREFUSED/);
  });

  test('that the mail server is down, or refuses the login', async () => {
    const unreachable = await setUpWithWorker({ SMTP_URL: 'smtp://127.0.0.1:1' });
    expectOneFailure(await unreachable.ops('doctor'), /mail .*127.0.0.1:1.*can't be reached/);

    const sink = await startSmtpSink({ onAuth: (_auth, _session, callback) => callback(new Error('No.')) });
    const refused = await setUpWithWorker({ SMTP_URL: sink.url.replace('://', '://someone:secret-word@') });
    const result = await refused.ops('doctor');
    expectOneFailure(result, /mail .*refuses the login.*535/);
    expect(result.output).not.toContain('secret-word');
  });

  test('that mails go to files in production', async () => {
    const { ops } = await setUpWithWorker({ NODE_ENV: 'production', HOST: '127.0.0.1' });
    expect((await ops('doctor')).output).toMatch(/^warn {2}mail .*nobody receives them: set SMTP_URL/m);
  });
});

test('the status shows unfinished deliveries and the results of the site checks', async () => {
  const { ops, database } = await setUpWithWorker({ BACKUP_DIR: '/etc/hostname/backups' });
  const late = await storeSubmission(database, { received_at: ago(25 * Hour) });
  await storeDelivery(database, late, { due_at: ago(12 * Minute) });
  await storeDelivery(database, late, { due_at: ago(24 * Hour), stage: 'reminder', state: 'dead' });
  await storeSubmission(database, { quarantined_at: new Date() });

  const lines = (await ops('status')).output.split('\n').map((line) => line.replace(/ +/g, ' '));
  expect(lines.length).toBeLessThan(28);
  expect(lines).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^ version \d+\.\d+\.\d+ on Node\.js \d+/),
      '! requests 1 unanswered, 1 of them overdue, 1 held as possible spam',
      ' deliveries follow-up 1',
      ' worker A worker is connected.',
      '! oldest due delivery A delivery is 12 minutes late, and no worker attempts it.',
      '! dead deliveries 1 failed permanently.',
      '! backup There is no verified backup in /etc/hostname/backups, or none that can be read.',
      ' redis Not used: jobs run on PostgreSQL.',
    ]),
  );
});
