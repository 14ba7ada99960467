import { randomUUID } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Day, Hour } from '../../../shared/time.ts';
import { ago } from '../../support/ago.ts';
import { setUpOps, storeDelivery, storeSubmission } from '../../support/ops-fixture.ts';
import { startProcess } from '../../support/site-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { erasedRow, readRow } from './erased-row.ts';

describe('submissions erase', () => {
  test('without --yes shows what is stored and changes nothing', async () => {
    const { database, ops } = await setUpOps();
    const id = await storeSubmission(database);
    await storeDelivery(database, id);
    const before = await readRow(database, id);

    const { exitCode, output } = await ops('submissions', 'erase', '--email', 'ada@example.org');
    expect(exitCode).toBe(0);
    expect(output).toContain(`request ${id}`);
    expect(output).toContain('1 deliveries to cancel');
    expect(output).toContain('Nothing was changed');
    expect(await readRow(database, id)).toEqual(before);
    expect(await database('erasures')).toHaveLength(0);
  });

  test('with an address erases the requests under all its spellings and its subscription, but no other data', async () => {
    const { database, ops, settings } = await setUpOps();
    const columns = { quarantine_reason: 'links', visited_paths: '["/about"]' };
    const id = await storeSubmission(database, { email: 'Ada@Example.ORG', ...columns });
    const other = await storeSubmission(database, { email: 'bob@example.org' });
    await storeDelivery(database, id, { state: 'pending' });
    await storeDelivery(database, id, { stage: 'reminder', state: 'dead', attempts: 2 });
    await storeDelivery(database, id, {
      ...{ kind: 'crm-export', stage: null, state: 'sent', attempts: 1, remote_ref: id },
    });
    await storeDelivery(database, id, { kind: 'chat', stage: null, state: 'sent', attempts: 1 });
    await database('newsletter_subscriptions').insert([{ email: 'ada@example.org' }, { email: 'bob@example.org' }]);

    const { exitCode, output, errorOutput } = await ops('submissions', 'erase', '--email', 'ADA@example.org', '--yes');
    expect(exitCode).toBe(0);
    expect(output).toContain('Erased: 1 requests, 1 newsletter subscriptions.');
    expect(output).toContain(`lines with ${id}`);
    expect(output).toContain(`X-Submission-Id: ${id}`);
    expect(output).toContain(`the chat: the message that links to /follow-up/${id}`);
    expect(errorOutput).toContain('Erased on request.');
    expect(output + errorOutput).not.toMatch(/ada@/i);

    const row = await readRow(database, id);
    expect(row).toMatchObject({ ...erasedRow, quarantine_reason: null });
    expect(row?.anonymised_at).toBeInstanceOf(Date);
    expect(await readRow(database, other)).toMatchObject({ email: 'bob@example.org', anonymised_at: null });
    expect((await database('newsletter_subscriptions')).map(({ email }) => email)).toEqual(['bob@example.org']);
    const deliveries = await database('deliveries').where({ submission_id: id });
    expect(deliveries.map(({ state }) => state).sort()).toEqual(['cancelled', 'cancelled', 'sent', 'sent']);

    const file = join(settings['ERASURES_DIR'] ?? '', 'erasures.ndjson');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const recorded = (await readFile(file, 'utf8')) + JSON.stringify(await database('erasures'));
    expect(recorded).not.toMatch(/ada|example/i);
  });

  test('names the records that an unconfirmed export may have created', async () => {
    const { database, ops } = await setUpOps({
      ...{ CRM_PROVIDER: 'hubspot', HUBSPOT_TOKEN: 'pat-na1-0123456789', NODE_ENV: 'development' },
    });
    const open = await storeSubmission(database, { received_at: ago(5 * Day) });
    // The attempt failed after its first step. It wasn't counted, because it paused the kind.
    await storeDelivery(database, open, {
      ...{ kind: 'crm-export', stage: null, attempts: 0, last_error: 'http-403' },
      remote_steps: { contact: '4711' },
    });

    expect((await ops('submissions', 'show', open)).output).toContain('contact 4711');
    expect((await ops('submissions', 'export', '--id', open)).output).toContain('4711');
    const { output } = await ops('submissions', 'erase', open, '--yes');
    expect(output).toContain(`CRM (hubspot): an export of ${open} that was not confirmed: contact 4711`);
    expect(output).not.toContain('X-Submission-Id');
  });

  test('with an unknown address reports that nothing is stored, and records the erasure for restored backups', async () => {
    const { database, ops } = await setUpOps();
    await storeSubmission(database, { email: 'bob@example.org' });
    const erase = (...args: string[]) => ops('submissions', 'erase', '--email', 'ada@example.org', ...args);

    const shown = 'Nothing about the address is stored here.\n';
    expect((await erase()).output).toBe(`${shown}Nothing was changed. --yes records the address, so that it is erased from restored backups.\n`);
    const { exitCode, output } = await erase('--yes');
    expect(exitCode).toBe(0);
    expect(output).toMatch(`${shown}There was nothing to erase. The erasure is recorded, so that`);
    expect(output).not.toContain('Erased:');
    expect(await database('erasures')).toHaveLength(1);
  });

  test('changes nothing if the erasure log can’t be written', async () => {
    const { database, ops } = await setUpOps({ ERASURES_DIR: '/etc/hostname/erasures' });
    const id = await storeSubmission(database);

    expect(await ops('submissions', 'erase', id, '--yes')).toMatchObject({
      exitCode: 1,
      errorOutput: "Nothing is erased. The erasure log /etc/hostname/erasures/erasures.ndjson can't be used (ENOTDIR).\n",
    });
    expect(await readRow(database, id)).toMatchObject({ anonymised_at: null });
  });

  test('waits for deliveries that a worker is processing, and reports their results', async () => {
    const { database, ops, settings } = await setUpOps({
      ...{ CRM_PROVIDER: 'hubspot', HUBSPOT_TOKEN: 'pat-na1-0123456789', NODE_ENV: 'development' },
    });
    const id = await storeSubmission(database);
    const lease = { state: 'leased', attempts: 1, lease_token: randomUUID(), lease_until: new Date(Date.now() + Hour) } as const;
    const exporting = await storeDelivery(database, id, { ...lease, kind: 'crm-export', stage: null });
    const mailing = await storeDelivery(database, id, lease);

    const erasing = startProcess(['ops/main.ts', 'submissions', 'erase', '--email', 'ada@example.org', '--yes'], settings);
    await waitFor('the message', () => erasing.output().includes('for 2 deliveries that workers are processing'));
    expect(await readRow(database, id)).toMatchObject(erasedRow);
    // The worker finishes both deliveries. One is sent, and the other failed and would be retried.
    const ended = { lease_token: null, lease_until: null };
    await database('deliveries').where({ id: exporting }).update({ ...ended, state: 'sent', remote_ref: 'crm-99' });
    await database('deliveries').where({ id: mailing }).update({ ...ended, state: 'pending', last_error: 'timed-out' });
    await waitFor('the end of the erasure', erasing.hasExited);

    expect(erasing.output()).toContain('CRM (hubspot): crm-99');
    expect(erasing.output()).toContain(`X-Submission-Id: ${id}`);
    expect(erasing.output()).not.toContain('still processing');
    expect(await database('deliveries').where({ id: mailing }).first()).toMatchObject({ state: 'cancelled' });
    // A second erasure lists the same records at other services.
    const { output } = await ops('submissions', 'erase', id, '--yes');
    expect(output).toContain('Erased: 0 requests');
    expect(output).toContain('CRM (hubspot): crm-99');
  });
});
