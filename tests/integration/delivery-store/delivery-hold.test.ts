import { describe, expect, test } from 'vitest';
import { readWaitMs } from '../../../shared/node/deliveries/claim-delivery.ts';
import {
  countDeliveriesOnHold,
  createHoldTable,
  holdDeliveries,
  readHold,
  releaseDeliveries,
} from '../../../shared/node/deliveries/delivery-hold.ts';
import { pauseUntilProviderIsSet, listPauses, pauseKind, resumeKind } from '../../../shared/node/deliveries/delivery-pauses.ts';
import { releaseSubmission } from '../../../shared/node/held-requests/held-requests.ts';
import { Day, Hour, Minute, Second } from '../../../shared/time.ts';
import { ago } from '../../support/ago.ts';
import { storeSubmission } from '../../support/stored-requests.ts';
import { ahead, database, read, running, setUpDatabase, store } from './fixture.ts';

setUpDatabase();

describe('a hold', () => {
  test('keeps its start time until a backup is restored', async () => {
    expect(await readHold(database)).toBeUndefined();
    await holdDeliveries(database);
    const first = await readHold(database);
    expect(first).toEqual({ heldAt: expect.any(Date), backupAt: null });
    await holdDeliveries(database);
    expect(await readHold(database)).toEqual(first);

    const backupAt = ago(Day);
    await holdDeliveries(database, backupAt);
    const restored = await readHold(database);
    expect(restored).toEqual({ heldAt: expect.any(Date), backupAt });
    expect(Number(restored?.heldAt)).toBeGreaterThan(Number(first?.heldAt));
    await holdDeliveries(database);
    expect(await readHold(database)).toEqual(restored);
    expect(await releaseDeliveries(database)).toEqual(restored);
    expect(await releaseDeliveries(database)).toBeUndefined();
  });

  test('counts its deliveries by kind: pending, due now, and due when the hold began', async () => {
    await store({ due_at: ago(Hour) });
    await holdDeliveries(database);
    await database('delivery_hold').update({ held_at: ago(Minute) });
    await store({ due_at: ago(Second) });
    await store({ due_at: ahead(Hour), ...running() });
    await store({ state: 'sent', due_at: ago(Hour) });
    await store({ kind: 'chat', stage: null, due_at: ago(Hour) });
    await pauseUntilProviderIsSet(database, 'chat');

    expect(await countDeliveriesOnHold(database)).toEqual([
      { kind: 'chat', pending: 1, due: 0, dueBefore: 1 },
      { kind: 'follow-up', pending: 3, due: 2, dueBefore: 1 },
    ]);
  });

  test('creates its table for a restore into an empty database, and doesn’t change an existing table', async () => {
    await database.schema.dropTable('delivery_hold');
    await createHoldTable(database);
    await holdDeliveries(database);
    const hold = await readHold(database);
    await createHoldTable(database);

    expect(hold?.heldAt).toBeInstanceOf(Date);
    expect(await readHold(database)).toEqual(hold);
  });

  test('that an operator begins doesn’t change the deliveries', async () => {
    const ids = [await store({ due_at: ago(Hour) }), await store({ kind: 'acknowledgment', stage: null })];
    const before = await Promise.all(ids.map(read));
    await holdDeliveries(database);
    await releaseDeliveries(database);

    expect(await Promise.all(ids.map(read))).toEqual(before);
  });

  test('after a restore marks the due deliveries as possible duplicates, and cancels due acknowledgments', async () => {
    const past = { due_at: ago(Hour) };
    const acknowledgment = { kind: 'acknowledgment', stage: null } as const;
    const pending = await store(past);
    const tried = await store({ ...past, attempts: 3 });
    const leased = await store({ ...past, ...running() });
    const dead = await store({ ...past, state: 'dead' });
    const sent = await store({ ...past, state: 'sent' });
    const swept = await store({ ...past, state: 'cancelled', swept_from: 'pending' });
    const cancelled = await store({ ...past, state: 'cancelled' });
    const future = await store({ due_at: ahead(Hour) });
    const sweptAcknowledgment = await store({ ...past, ...acknowledgment, state: 'cancelled', swept_from: 'pending' });
    const acknowledged = await store({ ...past, ...acknowledgment, ...running() });
    const laterAcknowledged = await store({ due_at: ahead(Hour), ...acknowledgment });
    const sentAcknowledgment = await store({ ...past, ...acknowledgment, state: 'sent' });
    await holdDeliveries(database, ago(Minute));
    await releaseDeliveries(database);

    expect(await read(pending)).toMatchObject({ state: 'pending', maybe_duplicate: true, attempts: 1 });
    expect(await read(tried)).toMatchObject({ maybe_duplicate: true, attempts: 3 });
    expect(await read(leased)).toMatchObject({ state: 'leased', maybe_duplicate: true, attempts: 1 });
    expect(await read(dead)).toMatchObject({ state: 'dead', maybe_duplicate: true });
    expect(await read(swept)).toMatchObject({ state: 'cancelled', swept_from: 'pending', maybe_duplicate: true });
    for (const id of [sent, cancelled, future]) {
      expect(await read(id)).toMatchObject({ maybe_duplicate: false, attempts: 0 });
    }
    expect(await read(sweptAcknowledgment)).toMatchObject({ swept_from: null, last_error: 'restored' });
    expect(await read(acknowledged)).toMatchObject({
      ...{ state: 'cancelled', last_error: 'restored', lease_token: null, lease_until: null },
    });
    expect(await read(laterAcknowledged)).toMatchObject({ state: 'pending' });
    expect(await read(sentAcknowledgment)).toMatchObject({ state: 'sent', maybe_duplicate: false });
  });
});

describe('a request that is in quarantine after a restore', () => {
  const held = { received_at: ago(2 * Hour), quarantined_at: ago(2 * Hour), quarantine_reason: 'links' };
  const plan = [
    { kind: 'follow-up', stage: 'new', dueAfter: 0 },
    { kind: 'crm-export', stage: null, dueAfter: 0 },
    { kind: 'acknowledgment', stage: null, dueAfter: 0 },
  ] as const;
  const release = (id: string) => database.transaction((transaction) => releaseSubmission(transaction, id, plan));
  const list = async (id: string) =>
    (await database('deliveries').where({ submission_id: id }).orderBy('kind')).map(
      ({ kind, state, attempts, maybe_duplicate }) => [kind, state, attempts, maybe_duplicate],
    );
  const possibleDuplicates = [
    ['acknowledgment', 'cancelled', 1, true],
    ['crm-export', 'pending', 1, true],
    ['follow-up', 'pending', 1, true],
  ];

  test('gets deliveries marked as possible duplicates, whether it is released during the hold or afterwards', async () => {
    const ids = [await storeSubmission(database, held), await storeSubmission(database, held)];
    await holdDeliveries(database, ago(Hour));
    const [inHold = '', later = ''] = ids;
    await release(inHold);
    await releaseDeliveries(database);
    await release(later);

    for (const id of ids) expect(await list(id)).toEqual(possibleDuplicates);
    const row = await database('contact_submissions').where({ id: later }).first();
    expect(row?.quarantine_reason).toBe('links,restored');
  });

  test('gets unmarked deliveries if it arrived after the restore, or if an operator began the hold', async () => {
    await holdDeliveries(database);
    const before = await storeSubmission(database, held);
    await releaseDeliveries(database);
    await holdDeliveries(database, ago(Hour));
    const after = await storeSubmission(database, { quarantined_at: ahead(Minute), quarantine_reason: 'links' });
    await release(before);
    await database('deliveries').delete();
    await releaseDeliveries(database);
    await release(after);

    expect((await list(after)).map(([, state]) => state)).toEqual(['pending', 'pending', 'pending']);
  });
});

describe('a pause', () => {
  const pause = (ms: number, reason: string) =>
    pauseKind(database, 'chat', { ms, reason, endsWithRestart: false });

  test('is kept if the next pause ends earlier, and is replaced if the next one ends later', async () => {
    expect(await pause(Hour, 'first')).toBe(true);
    expect(await pause(Minute, 'second')).toBe(false);
    expect(await listPauses(database)).toMatchObject([{ reason: 'first' }]);
    expect(await pause(2 * Hour, 'third')).toBe(false);

    const [only, ...others] = await listPauses(database);
    expect(only).toEqual({ kind: 'chat', reason: 'third', until: expect.any(Date) });
    expect(Number(only?.until) - Date.now()).toBeGreaterThan(119 * Minute);
    expect(others).toEqual([]);
  });

  test('that has ended is not listed, and the next pause counts as new', async () => {
    await pause(-1, 'first');
    expect(await listPauses(database)).toEqual([]);
    expect(await pause(Minute, 'second')).toBe(true);
  });

  test('ends only for its own kind, and a kind without a provider still waits afterwards', async () => {
    await pauseKind(database, 'follow-up', { ms: Hour, reason: 'y', endsWithRestart: true });
    await pause(Hour, 'x');
    await pauseUntilProviderIsSet(database, 'crm-export');
    expect((await listPauses(database)).map(({ kind }) => kind)).toEqual(['chat', 'follow-up']);

    await resumeKind(database, 'chat');
    await resumeKind(database, 'crm-export');
    expect((await listPauses(database)).map(({ kind }) => kind)).toEqual(['follow-up']);
    expect(await readWaitMs(database, await store({ kind: 'crm-export', stage: null }))).toBeUndefined();
  });
});
