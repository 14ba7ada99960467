import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ago } from '../support/ago.ts';
import {
  setUpOps,
  storeDelivery,
  storeSubmission,
} from '../support/ops-fixture.ts';
import { startSmtpSink } from '../support/smtp-sink.ts';
import { Hour } from '../../shared/time.ts';

const unknownId = '00000000-0000-4000-8000-000000000000';

test('deliveries list shows unfinished deliveries, or those that match the filters', async () => {
  const { database, ops } = await setUpOps();
  const id = await storeSubmission(database);
  await storeDelivery(database, id, { state: 'sent' });
  const dead = await storeDelivery(database, id, {
    ...{ stage: 'reminder', state: 'dead', last_error: 'smtp-550', maybe_duplicate: true },
    ...{ handed_over_at: new Date('2026-11-20T10:30:00Z'), recipient: 'owner@example.com' },
  });
  const late = await storeDelivery(database, id, { stage: null, kind: 'crm-export', due_at: ago(Hour) });
  const later = await storeDelivery(database, id, { stage: 'due', due_at: new Date(Date.now() + Hour) });
  const list = async (...args: string[]) => {
    const { output } = await ops('deliveries', 'list', '--json', ...args);

    return (JSON.parse(output) as Array<{ id: string }>).map((delivery) => delivery.id);
  };

  expect(await list()).toEqual([late, dead, later]);
  expect(await list('--state', 'dead')).toEqual([dead]);
  expect(await list('--overdue')).toEqual([late]);
  expect(await list('--kind', 'crm-export')).toEqual([late]);
  const table = await ops('deliveries', 'list');
  expect(table.output.match(/maybe sent 2026-11-20 10:30; smtp-550/g)).toHaveLength(1);
  expect(table.output).toContain('follow-up reminder to owner@example.com');
  expect(table.output).toContain('3 in all');
  expect(await ops('deliveries', 'list', '--state', 'lost')).toMatchObject({ exitCode: 2 });
});

test('deliveries retry makes dead deliveries pending, resumes their kind, and rejects other deliveries', async () => {
  const { database, ops } = await setUpOps();
  const id = await storeSubmission(database);
  const dead = await storeDelivery(database, id, {
    ...{ kind: 'crm-export', stage: null, state: 'dead', attempts: 9, lease_expiries: 10 },
    retry_at: new Date(Date.now() + Hour),
  });
  const sent = await storeDelivery(database, id, { state: 'sent' });
  await database('delivery_pauses').insert({
    ...{ kind: 'crm-export', reason: 'http-401', ends_with_restart: true },
    until: new Date(Date.now() + Hour),
  });

  const { exitCode, output, errorOutput } = await ops('deliveries', 'retry', dead, sent, unknownId);
  expect(exitCode).toBe(1);
  expect(output).toContain('crm-export is resumed.');
  expect(output).toContain(`${dead} (crm-export) will be retried.`);
  expect(errorOutput).toContain(`${sent} is sent; only dead deliveries can be retried.`);
  expect(errorOutput).toContain(`There is no delivery ${unknownId}.`);
  expect(await database('deliveries').where({ id: dead }).first()).toMatchObject({
    ...{ state: 'pending', lease_expiries: 0, retry_at: null },
    // The next attempt looks for an earlier attempt's record only if this isn't 0.
    attempts: 1,
  });
  expect(await database('delivery_pauses')).toHaveLength(0);
});

test('deliveries cancel cancels dead deliveries and rejects others', async () => {
  const { database, ops } = await setUpOps();
  const id = await storeSubmission(database);
  const dead = await storeDelivery(database, id, { kind: 'crm-export', stage: null, state: 'dead', last_error: 'crm-409' });
  const other = await storeDelivery(database, id, { state: 'dead' });
  const pending = await storeDelivery(database, id, { stage: 'due', due_at: new Date(Date.now() + Hour) });

  const { exitCode, output, errorOutput } = await ops('deliveries', 'cancel', dead, pending, unknownId);
  expect(exitCode).toBe(1);
  expect(output).toBe(`${dead} is cancelled.\n`);
  expect(errorOutput).toContain(`${pending} is pending; only dead deliveries can be cancelled.`);
  expect(errorOutput).toContain(`There is no delivery ${unknownId}.`);
  expect(await ops('deliveries', 'retry', '--dead')).toMatchObject({ exitCode: 0 });
  const rows = await database('deliveries').orderBy('id').select('id', 'state', 'last_error');
  expect(rows).toEqual(
    expect.arrayContaining([
      { id: dead, state: 'cancelled', last_error: 'given-up' },
      { id: other, state: 'pending', last_error: null },
      { id: pending, state: 'pending', last_error: null },
    ]),
  );
});

describe('mail test', () => {
  test('sends a mail with the current settings', async () => {
    const { ops, folder } = await setUpOps();
    expect(await ops('mail', 'test', '--to', 'me@example.org')).toMatchObject({ exitCode: 0 });
    const [file = ''] = await readdir(join(folder, 'mail'));
    expect(await readFile(join(folder, 'mail', file), 'utf8')).toContain('To: me@example.org');
  });

  test('lists accepted, deferred and refused recipients separately', async () => {
    const sink = await startSmtpSink();
    sink.refusedRecipients.set('late@example.com', 451).set('Gone@example.com', 550);
    const accepted = /^The mail server accepted it: \S+, to anna@example\.com\.\nDeferred by the mail server: late@example\.com\.\ninfo {2}sender: Not checked: .*\n.* dkim=pass with header\.d=example\.com.* \(aligned\)\.\n$/;
    const { ops } = await setUpOps({ SMTP_URL: sink.url, SALES_EMAIL: 'anna@example.com, late@example.com' });
    const refusing = await setUpOps({
      SMTP_URL: sink.url,
      SALES_EMAIL: 'anna@example.com, late@example.com, Gone <Gone@Example.com>',
    });

    expect(await ops('mail', 'test')).toMatchObject({ exitCode: 0, output: expect.stringMatching(accepted) as string });
    expect(await refusing.ops('mail', 'test')).toMatchObject({
      exitCode: 1,
      output: expect.stringMatching(accepted) as string,
      errorOutput: expect.stringContaining('Refused by the mail server: Gone@example.com. Correct SALES_EMAIL.') as string,
    });
  });

  test('shows the server’s complete refusal, or why the server can’t be reached', async () => {
    const sink = await startSmtpSink();
    sink.faults.push({ kind: 'refuse', code: 554 });
    const { ops } = await setUpOps({ SMTP_URL: sink.url });

    const { exitCode, errorOutput } = await ops('mail', 'test');
    expect(exitCode).toBe(1);
    expect(errorOutput).toContain('554 refused: sales@example.com');
    expect(errorOutput).toMatch(/could not be sent\. Mail server 127\.0\.0\.1:\d+: it refused the mail, as its response shows/);
    const unreachable = await setUpOps({ SMTP_URL: 'smtp://127.0.0.1:1' });
    const { errorOutput: reason } = await unreachable.ops('mail', 'test');
    expect(reason).not.toMatch(/ESOCKET|CONN$/m);
    expect(reason).toMatch(/could not be sent\. .*can't be reached: check host and port in SMTP_URL/);
  });
});

test('crm test prints its results and exits with 1 if a check fails', async () => {
  const { ops } = await setUpOps();
  const fine = await ops('crm', 'test');
  expect(fine.exitCode).toBe(0);
  expect(fine.output).toMatch(/^ok {4}file folder/);

  const broken = await setUpOps({ CRM_DIR: '/etc/hostname/crm' });
  const { exitCode, output } = await broken.ops('crm', 'test');
  expect(exitCode).toBe(1);
  expect(output).toMatch(/^fail {2}file folder .*ENOTDIR/);
});
