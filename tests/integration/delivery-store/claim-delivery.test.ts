import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { claimDelivery, claimNextDelivery, readWaitMs } from '../../../shared/node/deliveries/claim-delivery.ts';
import { holdDeliveries, releaseDeliveries } from '../../../shared/node/deliveries/delivery-hold.ts';
import { pauseUntilProviderIsSet, pauseKind, resumeKind } from '../../../shared/node/deliveries/delivery-pauses.ts';
import type { DeliveryRow } from '../../../shared/node/deliveries/delivery-table.ts';
import { Day, Hour, Minute, Second } from '../../../shared/time.ts';
import { ago } from '../../support/ago.ts';
import { storeDelivery, storeSubmission } from '../../support/stored-requests.ts';
import { ahead, change, database, lease, read, running, setUpDatabase, store } from './fixture.ts';

setUpDatabase();

describe('a claim', () => {
  test('returns everything that an attempt needs', async () => {
    const submissionId = await storeSubmission(database);
    const eventId = randomUUID();
    await database('submission_events').insert({ id: eventId, submission_id: submissionId, what: 'snooze' });
    const id = await storeDelivery(database, submissionId, {
      ...{ stage: 'reminder', due_at: ago(Hour), attempts: 2, remote_steps: { contact: '42' }, lost_answers: 1 },
      ...{ recipient: 'bob@example.com', event_id: eventId, last_error: 'crm-500', handed_over_at: ago(Minute) },
    });
    const token = randomUUID();

    const before = performance.now();
    const claimed = await claimDelivery(database, id, { token, ms: 60 * Second });

    expect(claimed).toEqual({
      ...{ id, submissionId, subscriptionId: null, subject: null, kind: 'follow-up', stage: 'reminder', attempts: 3 },
      ...{ leaseToken: token, overdueMs: expect.closeTo(Hour, -5), remoteSteps: { contact: '42' } },
      leaseEndsAt: expect.closeTo(before + 60 * Second, -3) as number,
      ...{ lostResponses: 1, recipient: 'bob@example.com', eventId },
    });
    const row = await read(id);
    expect(row).toMatchObject({ state: 'leased', lease_token: token, handed_over_at: null });
    expect(Number(row?.lease_until) - Date.now()).toBeGreaterThan(50 * Second);
  });

  test('selects the delivery that became due first', async () => {
    const second = await store({ due_at: ago(Hour) });
    const first = await store({ due_at: ago(2 * Hour) });
    await store({ kind: 'crm-export', stage: null, due_at: ago(Day) });
    await store({ due_at: ago(Day), retry_at: ahead(Minute) });
    await store({ due_at: ahead(Minute) });
    await store({ due_at: ago(Day), state: 'dead' });

    const claimNext = async () => (await claimNextDelivery(database, 'follow-up', 0, lease()))?.id;
    expect([await claimNext(), await claimNext(), await claimNext()]).toEqual([first, second, undefined]);
  });

  test('can be limited to deliveries that have been ready for a given time', async () => {
    const id = await store({ due_at: ago(Hour), retry_at: ago(Minute) });

    expect(await claimNextDelivery(database, 'follow-up', 2 * Minute, lease())).toBeUndefined();
    await change(id, { retry_at: ago(3 * Minute) });
    await store({ due_at: ago(Minute) });
    expect(await claimNextDelivery(database, 'follow-up', 2 * Minute, lease())).toMatchObject({ id });
  });

  test('selects no delivery of a paused kind, and none during a hold', async () => {
    const id = await store();
    const claimNext = () => claimNextDelivery(database, 'follow-up', 0, lease());
    await pauseKind(database, 'follow-up', { ms: Minute, reason: 'x', endsWithRestart: true });
    expect(await claimNext()).toBeUndefined();
    await resumeKind(database, 'follow-up');
    await holdDeliveries(database);
    expect(await claimNext()).toBeUndefined();
    await releaseDeliveries(database);

    expect(await claimNext()).toMatchObject({ id });
  });
});

describe('a delivery that can’t be claimed now', () => {
  test('waits until it is due, until its next attempt, or until another worker’s lease ends', async () => {
    const cases: ReadonlyArray<[Partial<DeliveryRow>, number]> = [
      [{ due_at: ahead(Hour) }, Hour],
      [{ due_at: ago(Hour), retry_at: ahead(Minute) }, Minute],
      [{ due_at: ago(Hour), ...running(2 * Minute) }, 2 * Minute],
      [{ due_at: ago(Hour) }, 0],
    ];

    for (const [values, wait] of cases) {
      const waitMs = await readWaitMs(database, await store(values));
      expect(waitMs).toBeLessThanOrEqual(wait);
      expect(waitMs).toBeGreaterThanOrEqual(Math.max(0, wait - 10 * Second));
    }
  });

  test('has no wait time if it is completed, doesn’t exist or lacks a provider', async () => {
    for (const state of ['sent', 'cancelled', 'dead'] as const) {
      expect(await readWaitMs(database, await store({ state }))).toBeUndefined();
    }
    expect(await readWaitMs(database, randomUUID())).toBeUndefined();
    const id = await store();
    await pauseUntilProviderIsSet(database, 'follow-up');
    expect(await readWaitMs(database, id)).toBeUndefined();
  });
});
