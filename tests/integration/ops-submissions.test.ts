import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ago } from '../support/ago.ts';
import { setUpOps, storeDelivery, storeSubmission } from '../support/ops-fixture.ts';
import { runOps, spawnOps } from '../support/run-ops.ts';
import { Day, Hour } from '../../shared/time.ts';

const unknownId = '00000000-0000-4000-8000-000000000000';

interface Listed {
  id: string;
  state: string;
  company: string;
  deliveries: Record<string, number>;
}

const readJson = (text: string) => JSON.parse(text) as unknown;

describe('the tool', () => {
  test('exits as a process with the command’s exit code, and writes only results to standard output', async () => {
    const { settings } = await setUpOps();
    const listed = await spawnOps(settings, 'submissions', 'list', '--json');
    expect(listed).toEqual({ exitCode: 0, output: '[]\n', errorOutput: '' });
    const released = await spawnOps(settings, 'submissions', 'release', unknownId);
    expect(released).toMatchObject({ exitCode: 1, output: '' });
    expect(released.errorOutput).toContain(`There is no request ${unknownId}`);
  });

  test('prints its help without settings', async () => {
    for (const args of [[], ['submissions'], ['submissions', 'erase'], ['deliveries', 'retry'], ['doctor']]) {
      const { exitCode, output } = await runOps({}, ...args, '--help');
      expect(exitCode).toBe(0);
      expect(output).toContain('Usage: ops');
    }
  });

  test('exits with 2 on wrong usage and with 1 on invalid settings', async () => {
    expect(await runOps({}, 'submissions', 'lst')).toMatchObject({ exitCode: 2, output: '' });
    expect(await runOps({}, 'submissions', 'show', 'x')).toMatchObject({ exitCode: 2 });
    const { exitCode, errorOutput } = await runOps({}, 'submissions', 'list');
    expect(exitCode).toBe(1);
    expect(errorOutput).toContain('DATABASE_URL is required');
  });
});

describe('submissions list', () => {
  test('lists requests with their states and deliveries, newest first', async () => {
    const { database, ops } = await setUpOps();
    const old = await storeSubmission(database, { received_at: ago(3 * Day), contacted_at: ago(Day) });
    await storeSubmission(database, { received_at: ago(2 * Day), quarantined_at: ago(Day) });
    const fresh = await storeSubmission(database, { company: 'New Co' });
    await storeDelivery(database, fresh, { state: 'sent' });
    await storeDelivery(database, fresh, { stage: 'reminder' });
    await storeDelivery(database, fresh, { stage: 'due' });

    const { exitCode, output } = await ops('submissions', 'list', '--json');
    expect(exitCode).toBe(0);
    const rows = readJson(output) as Listed[];
    expect(rows.map(({ state }) => state)).toEqual(['open', 'quarantined', 'contacted']);
    expect(rows[0]).toMatchObject({ id: fresh, company: 'New Co', deliveries: { sent: 1, pending: 2 } });
    expect(rows[2]?.id).toBe(old);

    const table = await ops('submissions', 'list', '--limit', '1');
    expect(table.output).toContain('New Co');
    expect(table.output).toContain('The newest 1 of 3');
  });

  test('filters open, overdue, held and recent requests', async () => {
    const { database, ops } = await setUpOps();
    const late = await storeSubmission(database, { received_at: ago(30 * Hour) });
    const released = await storeSubmission(database, { received_at: ago(30 * Hour), released_at: ago(Hour) });
    const held = await storeSubmission(database, { received_at: ago(40 * Hour), quarantined_at: ago(Hour) });
    await storeSubmission(database, { received_at: ago(50 * Hour), contacted_at: ago(Hour) });
    const list = async (...args: string[]) => {
      const { output } = await ops('submissions', 'list', '--json', ...args);

      return (readJson(output) as Listed[]).map(({ id }) => id).sort();
    };

    expect(await list('--open')).toEqual([late, released].sort());
    expect(await list('--overdue')).toEqual([late]);
    expect(await list('--quarantined')).toEqual([held]);
    expect(await list('--since', '35h')).toEqual([late, released].sort());
    expect(await list('--since', '2020-01-01')).toHaveLength(4);
  });
});

test('submissions show prints every field with control characters escaped', async () => {
  const { database, ops } = await setUpOps();
  const company = 'Evil \u001b[2J\u009b31m\u202eCo';
  const id = await storeSubmission(database, { company, message: 'one\n\u001b]0;two\u0007', visited_paths: '["/","/about"]' });
  await storeDelivery(database, id, { state: 'dead', last_error: 'smtp-550', stage: 'new' });

  const shown = await ops('submissions', 'show', id);
  expect(shown.exitCode).toBe(0);
  expect(shown.output).not.toMatch(/[\u001b\u009b\u0007\u202e]/u);
  expect(shown.output).not.toContain('Why held');
  for (const text of ['Ada Example', '+1 555 0100', 'Manufacturing', 'letter', '/, /about', 'smtp-550', '\\u001b[2J']) {
    expect(shown.output).toContain(text);
  }
  const json = await ops('submissions', 'show', id, '--json');
  expect(json.output).not.toMatch(/[\u001b\u009b\u0007\u202e]/u);
  expect(readJson(json.output)).toMatchObject({ company, visited_paths: ['/', '/about'], deliveries: [{ last_error: 'smtp-550' }] });
});

test('subscribers export writes only confirmed addresses as CSV, oldest first', async () => {
  const { ops, database } = await setUpOps();
  const at = (day: number) => new Date(`2026-11-0${day}T10:00:00Z`);
  await database('newsletter_subscriptions').insert([
    { email: 'cora@example.org', confirmed_at: at(2) },
    { email: '=anna@example.org', confirmed_at: at(1) },
    { email: 'left@example.org', confirmed_at: at(1), unsubscribed_at: at(2) },
    { email: 'asked@example.org' },
  ]);

  expect(await ops('subscribers', 'export')).toMatchObject({
    exitCode: 0,
    output: `email,confirmed_at\r\n'=anna@example.org,${at(1).toISOString()}\r\ncora@example.org,${at(2).toISOString()}\r\n`,
    errorOutput: '2 subscribers exported.\n',
  });
});

describe('submissions export', () => {
  test('writes all of a person’s data, under any spelling of the address, to a file that only its owner can read', async () => {
    const { database, ops, folder } = await setUpOps();
    const id = await storeSubmission(database, { email: 'Ada@Example.org' });
    await storeSubmission(database, { email: 'bob@example.org' });
    await storeDelivery(database, id);
    await database('newsletter_subscriptions').insert({ email: 'ada@example.org' });
    const path = join(folder, 'ada.json');

    const { exitCode } = await ops('submissions', 'export', '--email', 'ADA@example.org', '--output', path);
    expect(exitCode).toBe(0);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['ada.json']);
    expect(readJson(await readFile(path, 'utf8'))).toMatchObject({
      submissions: [{ id, email: 'Ada@Example.org', source: { utm_source: 'letter' }, deliveries: [{ stage: 'new' }] }],
      newsletter_subscriptions: [{ email: 'ada@example.org' }],
    });
  });

  test('of all requests reads several batches, contains each request once, and writes no formula to the CSV', async () => {
    const { database, ops } = await setUpOps();
    await storeSubmission(database, { company: '=1+1', received_at: ago(Day) });
    await database.raw(`
      insert into contact_submissions (id, name, email, company, submitted_at)
      select gen_random_uuid(), 'N', 'n' || n || '@example.org', 'C', now() from generate_series(1, 1200) n
    `);

    const json = await ops('submissions', 'export', '--all');
    const { submissions } = readJson(json.output) as { submissions: Array<{ id: string }> };
    expect(new Set(submissions.map(({ id }) => id)).size).toBe(1201);
    const csv = await ops('submissions', 'export', '--all', '--format', 'csv');
    const lines = csv.output.trimEnd().split('\r\n');
    expect(lines).toHaveLength(1202);
    expect(lines[1]).toContain("'=1+1");
    expect(csv.errorOutput).toContain('1201 requests exported');
  });
});

test('submissions release plans a held request’s deliveries from now, and refuses other requests', async () => {
  const { database, ops } = await setUpOps();
  const held = await storeSubmission(database, { quarantined_at: ago(Hour), received_at: ago(3 * Day) });
  const open = await storeSubmission(database);

  const { exitCode, output, errorOutput } = await ops('submissions', 'release', held, open);
  expect(exitCode).toBe(1);
  expect(output).toContain(`${held} is released: 5 deliveries`);
  expect(errorOutput).toContain(`${open} is not held as spam: it is open.`);
  const deliveries = await database('deliveries').where({ submission_id: held });
  expect(deliveries).toHaveLength(5);
  expect(Math.min(...deliveries.map(({ due_at: due }) => due.getTime()))).toBeGreaterThan(Date.now() - Hour);
  expect(await database('deliveries').where({ submission_id: open })).toHaveLength(0);
});
