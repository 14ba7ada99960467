import { describe, expect, test } from 'vitest';
import type { ScheduledDelivery } from '../../../shared/deliveries/delivery.ts';
import { pauseUntilProviderIsSet } from '../../../shared/node/deliveries/delivery-pauses.ts';
import {
  listPendingDeliveries,
  readLongestWaitMs,
  readOldestOverdueMs,
  releaseExpiredLeases,
} from '../../../shared/node/deliveries/sweep-queries.ts';
import { Day, Hour, Minute } from '../../../shared/time.ts';
import { ago } from '../../support/ago.ts';
import { storeSubmission } from '../../support/stored-requests.ts';
import { ahead, database, expired, read, running, setUpDatabase, store } from './fixture.ts';

setUpDatabase();

describe('a sweep', () => {
  const limits = { maxExpiries: 3, maxLostResponses: 2 };

  test('returns only deliveries with an expired lease to pending', async () => {
    const expiredOne = await store({ ...expired(), lease_expiries: 1 });
    const leased = await store(running());
    const before = await read(leased);

    expect(await releaseExpiredLeases(database, limits)).toEqual({ returned: 1, dead: [] });
    expect(await read(expiredOne)).toMatchObject({
      ...{ state: 'pending', lease_expiries: 2, lease_token: null, lease_until: null, last_error: 'lease-expired' },
      ...{ maybe_duplicate: false, lost_answers: 0 },
    });
    expect(await read(leased)).toEqual(before);
  });

  test('makes a delivery dead if its lease expired too often or its mail may have been sent twice', async () => {
    const handedOver = { ...expired(), handed_over_at: ago(Minute) };
    const often = await store({ ...expired(), lease_expiries: 2 });
    const twice = await store({ ...handedOver, lost_answers: 1 });
    const once = await store(handedOver);
    const neverHandedOver = await store({ ...expired(), lost_answers: 1 });

    const { returned, dead } = await releaseExpiredLeases(database, limits);
    expect(returned).toBe(2);
    expect([...dead].sort()).toEqual([often, twice].sort());
    expect(await read(often)).toMatchObject({ state: 'dead', lost_answers: 0 });
    expect(await read(twice)).toMatchObject({ state: 'dead', lost_answers: 2, maybe_duplicate: true });
    expect(await read(once)).toMatchObject({ state: 'pending', lost_answers: 1, maybe_duplicate: true });
    expect(await read(neverHandedOver)).toMatchObject({ state: 'pending', lost_answers: 1, maybe_duplicate: false });
  });

  test('cancels an acknowledgment that may have been sent, and marks an export that may have created a lead', async () => {
    const acknowledgment = { kind: 'acknowledgment', stage: null } as const;
    const handedOver = await store({ ...acknowledgment, ...expired(), handed_over_at: ago(Minute) });
    const neverHandedOver = await store({ ...acknowledgment, ...expired() });
    const exported = await store({ kind: 'crm-export', stage: null, ...expired() });

    expect(await releaseExpiredLeases(database, limits)).toEqual({ returned: 2, dead: [] });
    expect(await read(handedOver)).toMatchObject({ state: 'cancelled', maybe_duplicate: true });
    expect(await read(neverHandedOver)).toMatchObject({ state: 'pending', maybe_duplicate: false });
    expect(await read(exported)).toMatchObject({ state: 'pending', maybe_duplicate: true });
  });

  async function readPages() {
    const pages: Array<readonly ScheduledDelivery[]> = [];
    for await (const page of listPendingDeliveries(database)) pages.push(page);

    return pages;
  }

  test('reads all pending deliveries by kind, oldest first, with the time until their next attempt', async () => {
    const second = await store({ due_at: ago(Minute), retry_at: ahead(Hour) });
    const first = await store({ due_at: ago(Hour) });
    const exported = await store({ kind: 'crm-export', stage: null, due_at: ago(Day) });
    await store({ state: 'sent' });
    await store({ kind: 'chat', stage: null });
    await pauseUntilProviderIsSet(database, 'chat');
    const pages = await readPages();

    expect(pages).toEqual([
      [
        { id: first, kind: 'follow-up', delayMs: 0 },
        { id: second, kind: 'follow-up', delayMs: expect.closeTo(Hour, -5) },
      ],
      [{ id: exported, kind: 'crm-export', delayMs: 0 }],
    ]);
  });

  test('reads each delivery once even if more than one page of deliveries became due at the same time', async () => {
    const submissionId = await storeSubmission(database);
    await database.raw(
      `insert into deliveries (submission_id, kind, stage, due_at, recipient)
      select ?, 'follow-up', 'new', now(), gen_random_uuid() from generate_series(1, 1001)`,
      [submissionId],
    );
    const pages = await readPages();

    expect(pages.map(({ length }) => length)).toEqual([500, 500, 1]);
    expect(new Set(pages.flat().map(({ id }) => id)).size).toBe(1_001);
  });

  test('measures how long the oldest delivery has waited, except for those that wait for a provider', async () => {
    expect([await readLongestWaitMs(database), await readOldestOverdueMs(database)]).toEqual([0, 0]);
    await store({ due_at: ahead(Hour) });
    expect([await readLongestWaitMs(database), await readOldestOverdueMs(database)]).toEqual([0, 0]);
    await store({ kind: 'chat', stage: null, due_at: ago(Day) });
    await pauseUntilProviderIsSet(database, 'chat');
    expect([await readLongestWaitMs(database), await readOldestOverdueMs(database)]).toEqual([0, 0]);

    await store({ due_at: ago(Hour) });
    await store({ due_at: ago(2 * Hour), ...running() });
    await store({ due_at: ago(Day), state: 'sent' });
    expect(await readLongestWaitMs(database)).toBeCloseTo(Hour, -5);
    expect(await readOldestOverdueMs(database)).toBeCloseTo(2 * Hour, -5);
  });
});
