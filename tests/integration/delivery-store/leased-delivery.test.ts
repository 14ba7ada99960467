import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  deleteRemoteSteps,
  markDeliveryFailed,
  markDeliverySent,
  recordHandOver,
  recordRemoteStep,
  rescheduleDelivery,
  wasHandedOver,
} from '../../../shared/node/deliveries/leased-delivery.ts';
import { Hour, Minute } from '../../../shared/time.ts';
import { ago } from '../../support/ago.ts';
import { storeDelivery, storeSubmission } from '../../support/stored-requests.ts';
import { change, claim, database, read, setUpDatabase, store } from './fixture.ts';

setUpDatabase();

describe('a worker that leases a delivery', () => {
  test('records nothing once another worker has the lease', async () => {
    const id = await store();
    const claimed = { ...(await claim(id)), leaseToken: randomUUID() };
    const before = await read(id);
    const failed = { error: 'x', isAmbiguous: true };

    expect(await recordHandOver(database, claimed)).toBe(false);
    expect(await wasHandedOver(database, claimed)).toBe(false);
    expect(await recordRemoteStep(database, claimed, { step: 'a', remoteId: '1' })).toBe(false);
    expect(await markDeliverySent(database, claimed, { remoteRef: 'x', deferred: ['bob@example.com'] }, 0)).toBe(false);
    expect(await rescheduleDelivery(database, claimed, { ...failed, delayMs: 0, isCounted: true })).toBe(false);
    expect(await markDeliveryFailed(database, claimed, { ...failed, state: 'dead' })).toBe(false);
    await deleteRemoteSteps(database, claimed);
    expect(await read(id)).toEqual(before);
    expect(await database('deliveries')).toHaveLength(1);
  });

  test('records the hand-over unless the request is settled, and always records an export’s hand-over', async () => {
    const submissionId = await storeSubmission(database);
    const claims = [
      await claim(await storeDelivery(database, submissionId)),
      await claim(await storeDelivery(database, submissionId, { kind: 'acknowledgment', stage: null })),
      await claim(await storeDelivery(database, submissionId, { kind: 'chat', stage: null })),
      await claim(await storeDelivery(database, submissionId, { kind: 'crm-export', stage: null })),
    ];
    const recordAll = () => Promise.all(claims.map((claimed) => recordHandOver(database, claimed)));
    const settle = (values: object) => database('contact_submissions').where({ id: submissionId }).update(values);

    await settle({ contacted_at: new Date() });
    expect(await recordAll()).toEqual([false, false, false, true]);
    await settle({ contacted_at: null, unfit_at: new Date() });
    expect(await recordAll()).toEqual([false, false, false, true]);
    expect(await Promise.all(claims.map((claimed) => wasHandedOver(database, claimed)))).toEqual([
      ...[false, false, false, true],
    ]);
    await settle({ unfit_at: null });
    expect(await recordAll()).toEqual([true, true, true, true]);
    expect(await Promise.all(claims.map((claimed) => wasHandedOver(database, claimed)))).toEqual([
      ...[true, true, true, true],
    ]);
  });

  test('records the export’s completed steps, and can delete them', async () => {
    const id = await store();
    const claimed = await claim(id);
    expect(await recordRemoteStep(database, claimed, { step: 'a', remoteId: '1' })).toBe(true);
    expect(await read(id)).toMatchObject({ remote_steps: { a: '1' } });

    await deleteRemoteSteps(database, claimed);
    expect((await read(id))?.remote_steps).toEqual({});
  });

  test('records it as sent, and stores a separate delivery for each deferred recipient', async () => {
    const eventId = randomUUID();
    const id = await store({
      ...{ stage: 'due', due_at: ago(Hour), last_error: 'x' },
      ...{ maybe_duplicate: true, lost_answers: 1 },
    });
    const claimed = await claim(id);
    await change(id, { event_id: eventId });
    const sent = { remoteRef: '<1@x>', deferred: ['bob@example.com', 'eve@example.com'] };

    expect(await markDeliverySent(database, claimed, sent, 10 * Minute)).toBe(true);

    const row = await read(id);
    expect(row).toMatchObject({
      ...{ state: 'sent', remote_ref: '<1@x>', last_error: null, lease_token: null, lease_until: null },
    });
    expect(row?.sent_at).toBeInstanceOf(Date);
    const others = await database('deliveries').whereNot({ id }).orderBy('recipient');
    expect(others.map(({ recipient }) => recipient)).toEqual(sent.deferred);
    for (const other of others) {
      expect(other).toMatchObject({
        ...{ submission_id: row?.submission_id, kind: 'follow-up', stage: 'due', due_at: row?.due_at },
        ...{ event_id: eventId, attempts: 1, last_error: 'recipient-deferred', state: 'pending' },
        ...{ maybe_duplicate: true, lost_answers: 1 },
      });
      expect(Number(other.retry_at) - Date.now()).toBeGreaterThan(9 * Minute);
    }
  });

  test('records why it failed and when it is retried', async () => {
    const id = await store({ attempts: 1 });
    const failed = { error: 'smtp-451', isAmbiguous: false };
    const claimed = await claim(id);
    await recordHandOver(database, claimed);

    expect(await rescheduleDelivery(database, claimed, { ...failed, delayMs: Hour, isCounted: true })).toBe(true);
    const row = await read(id);
    expect(row).toMatchObject({
      ...{ state: 'pending', attempts: 2, last_error: 'smtp-451', handed_over_at: null, lost_answers: 0 },
      ...{ lease_token: null, lease_until: null, maybe_duplicate: false },
    });
    expect(Number(row?.retry_at) - Date.now()).toBeGreaterThan(59 * Minute);
  });

  test('doesn’t count an attempt that failed because of the credentials', async () => {
    const id = await store({ attempts: 1 });
    const paused = { error: 'crm-401', isAmbiguous: false, delayMs: Hour, isCounted: false };

    await rescheduleDelivery(database, await claim(id), paused);
    expect(await read(id)).toMatchObject({ state: 'pending', attempts: 1 });
  });

  test.each(['dead', 'cancelled'] as const)('records it as %s, and whether its mail may have been sent', async (state) => {
    const [id, other] = [await store(), await store()];
    const claimed = await claim(id);
    await recordHandOver(database, claimed);

    expect(await markDeliveryFailed(database, claimed, { state, error: 'lost', isAmbiguous: true })).toBe(true);
    expect(await read(id)).toMatchObject({
      ...{ state, last_error: 'lost', maybe_duplicate: true, lost_answers: 1, handed_over_at: expect.any(Date) },
    });
    await markDeliveryFailed(database, await claim(other), { state, error: 'x', isAmbiguous: false });
    expect(await read(other)).toMatchObject({ state, maybe_duplicate: false, lost_answers: 0 });
  });
});
