import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ScheduledDelivery } from '../../shared/deliveries/delivery.ts';
import { createDatabase, type Database, type Transaction } from '../../shared/node/database/database.ts';
import { recordAcknowledgmentHandOver, wasAcknowledged } from '../../shared/node/deliveries/acknowledgments.ts';
import { claimDelivery, claimNextDelivery, readWaitMs } from '../../shared/node/deliveries/claim-delivery.ts';
import {
  countHeldDeliveries,
  createHoldTable,
  holdDeliveries,
  readHold,
  releaseDeliveries,
} from '../../shared/node/deliveries/delivery-hold.ts';
import { awaitProvider, listPauses, pauseQueue, resumeQueue } from '../../shared/node/deliveries/delivery-pauses.ts';
import { createDeliveryPlanner } from '../../shared/node/deliveries/delivery-planner.ts';
import {
  cancelErasedDeliveries,
  hasEnoughNewsletterMails,
  insertDeliveries,
  insertDeliveriesOf,
  requeueDeliveries,
} from '../../shared/node/deliveries/delivery-store.ts';
import type { DeliveryRow } from '../../shared/node/deliveries/delivery-table.ts';
import {
  deleteRemoteSteps,
  markDeliveryFailed,
  markDeliverySent,
  recordHandOver,
  recordRemoteStep,
  rescheduleDelivery,
  wasHandedOver,
} from '../../shared/node/deliveries/leased-delivery.ts';
import {
  countDeliveries,
  countFinishedGroups,
  countRunningDeliveries,
  countUnfinishedGroups,
  listDeliveries,
  listDeliveriesOf,
  listFollowUpMails,
  readDeliveryStates,
} from '../../shared/node/deliveries/list-deliveries.ts';
import {
  cancelFollowUps,
  cancelMailOf,
  cancelReminders,
  insertEventMail,
  restoreMails,
  returnMailsToPending,
} from '../../shared/node/deliveries/outcome-mails.ts';
import {
  listPendingDeliveries,
  readLongestWaitMs,
  readOldestOverdueMs,
  releaseExpiredLeases,
  withSweepLock,
} from '../../shared/node/deliveries/sweep-queries.ts';
import { createResponsePromise } from '../../shared/node/response-promise/response-promise.ts';
import { parseWeeklyHours } from '../../shared/node/response-promise/weekly-hours.ts';
import { Day, Hour, Minute, Second } from '../../shared/time.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { storeDelivery, storeSubmission } from '../support/stored-requests.ts';

let database: Database;

beforeAll(async () => {
  database = createDatabase(await createMigratedDatabase(), 'test');

  return () => database.destroy();
});

beforeEach(async () => {
  for (const table of ['deliveries', 'contact_submissions', 'newsletter_subscriptions', 'delivery_pauses', 'delivery_hold']) {
    await database(table).delete();
  }
});

const ago = (ms: number) => new Date(Date.now() - ms);
const ahead = (ms: number) => ago(-ms);
const lease = (ms = 60 * Second) => ({ token: randomUUID(), ms });
const read = (id: string) => database<DeliveryRow>('deliveries').where({ id }).first();
const change = (id: string, values: object) => database('deliveries').where({ id }).update(values);

/** A delivery about a request of its own. */
const store = async (values: Partial<DeliveryRow> = {}) =>
  storeDelivery(database, await storeSubmission(database), values);

const expired = () => ({ state: 'leased', lease_token: randomUUID(), lease_until: ago(Second) }) as const;
const running = (ms = Minute) => ({ state: 'leased', lease_token: randomUUID(), lease_until: ahead(ms) }) as const;

async function claim(id: string, ms?: number) {
  const claimed = await claimDelivery(database, id, lease(ms));
  if (!claimed) throw new Error('It was not claimed.');

  return claimed;
}

describe('what is claimed', () => {
  test('is told all that an attempt needs', async () => {
    const submissionId = await storeSubmission(database);
    const eventId = randomUUID();
    const id = await storeDelivery(database, submissionId, {
      ...{ stage: 'reminder', due_at: ago(Hour), attempts: 2, remote_steps: { contact: '42' }, lost_answers: 1 },
      ...{ recipient: 'bob@example.com', event_id: eventId, last_error: 'crm-500', handed_over_at: ago(Minute) },
    });
    const token = randomUUID();

    const claimed = await claimDelivery(database, id, { token, ms: 60 * Second });

    expect(claimed).toEqual({
      ...{ id, submissionId, subscriptionId: null, kind: 'follow-up', stage: 'reminder', attempts: 3 },
      ...{ leaseToken: token, overdueMs: expect.closeTo(Hour, -5), remoteSteps: { contact: '42' } },
      ...{ lostResponses: 1, recipient: 'bob@example.com', eventId, lastError: 'crm-500' },
    });
    const row = await read(id);
    expect(row).toMatchObject({ state: 'leased', lease_token: token, handed_over_at: null });
    expect(Number(row?.lease_until) - Date.now()).toBeGreaterThan(50 * Second);
  });

  test('next is what has the lowest priority, then what was due first', async () => {
    const late = await store({ priority: 1, due_at: ago(3 * Hour) });
    const second = await store({ due_at: ago(Hour) });
    const first = await store({ due_at: ago(2 * Hour) });
    await store({ kind: 'crm-export', stage: null, due_at: ago(Day) });
    await store({ due_at: ago(Day), retry_at: ahead(Minute) });
    await store({ due_at: ahead(Minute) });
    await store({ due_at: ago(Day), state: 'dead' });

    const claimNext = async () => (await claimNextDelivery(database, 'follow-up', 0, lease()))?.id;
    expect([await claimNext(), await claimNext(), await claimNext(), await claimNext()]).toEqual([
      ...[first, second, late, undefined],
    ]);
  });

  test('next can be asked to have waited for so long, since it was due or could be tried again', async () => {
    const id = await store({ due_at: ago(Hour), retry_at: ago(Minute) });

    expect(await claimNextDelivery(database, 'follow-up', 2 * Minute, lease())).toBeUndefined();
    await change(id, { retry_at: ago(3 * Minute) });
    await store({ due_at: ago(Minute), priority: -1 });
    expect(await claimNextDelivery(database, 'follow-up', 2 * Minute, lease())).toMatchObject({ id });
  });

  test('next is nothing of a kind that is paused, nor while everything is held', async () => {
    const id = await store();
    const claimNext = () => claimNextDelivery(database, 'follow-up', 0, lease());
    await pauseQueue(database, 'follow-up', { ms: Minute, reason: 'x', endsWithRestart: true });
    expect(await claimNext()).toBeUndefined();
    await resumeQueue(database, 'follow-up');
    await holdDeliveries(database);
    expect(await claimNext()).toBeUndefined();
    await releaseDeliveries(database);

    expect(await claimNext()).toMatchObject({ id });
  });
});

describe('what can’t be claimed now', () => {
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

  test('waits for nothing once it has ended, or is not there; nor for a provider, which may never come', async () => {
    for (const state of ['sent', 'cancelled', 'dead'] as const) {
      expect(await readWaitMs(database, await store({ state }))).toBeUndefined();
    }
    expect(await readWaitMs(database, randomUUID())).toBeUndefined();
    const id = await store();
    await awaitProvider(database, 'follow-up');
    expect(await readWaitMs(database, id)).toBeUndefined();
  });
});

describe('what the worker records that leases a delivery', () => {
  test('is nothing once the lease is another’s', async () => {
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

  test('is the hand-over, unless the request was settled', async () => {
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

  test('are steps on the other side, until they may be gone there', async () => {
    const id = await store();
    const claimed = await claim(id);
    expect(await recordRemoteStep(database, claimed, { step: 'a', remoteId: '1' })).toBe(true);
    expect(await read(id)).toMatchObject({ remote_steps: { a: '1' } });

    await deleteRemoteSteps(database, claimed);
    expect((await read(id))?.remote_steps).toEqual({});
  });

  test('is that it is sent, with a delivery of its own for each recipient that was deferred', async () => {
    const eventId = randomUUID();
    const id = await store({
      ...{ stage: 'due', due_at: ago(Hour), priority: 3, event_id: eventId, last_error: 'x' },
      ...{ maybe_duplicate: true, lost_answers: 1 },
    });
    const claimed = await claim(id);
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
        ...{ submission_id: row?.submission_id, kind: 'follow-up', stage: 'due', due_at: row?.due_at, priority: 3 },
        ...{ event_id: eventId, attempts: 1, last_error: 'recipient-deferred', state: 'pending' },
        ...{ maybe_duplicate: true, lost_answers: 1 },
      });
      expect(Number(other.retry_at) - Date.now()).toBeGreaterThan(9 * Minute);
    }
  });

  test('is why it failed, and when it is tried again', async () => {
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

  test('is no attempt where it says nothing of the delivery', async () => {
    const id = await store({ attempts: 1 });
    const paused = { error: 'crm-401', isAmbiguous: false, delayMs: Hour, isCounted: false };

    await rescheduleDelivery(database, await claim(id), paused);
    expect(await read(id)).toMatchObject({ state: 'pending', attempts: 1 });
  });

  test.each(['dead', 'cancelled'] as const)('is that it is %s, and whether its mail may have come', async (state) => {
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

describe('a sweep', () => {
  const limits = { maxExpiries: 3, maxLostResponses: 2 };

  test('returns what a lease has expired for, and only that', async () => {
    const expiredOne = await store({ ...expired(), lease_expiries: 1 });
    const alive = await store(running());
    const before = await read(alive);

    expect(await releaseExpiredLeases(database, limits)).toEqual({ returned: 1, dead: [] });
    expect(await read(expiredOne)).toMatchObject({
      ...{ state: 'pending', lease_expiries: 2, lease_token: null, lease_until: null, last_error: 'lease-expired' },
      ...{ maybe_duplicate: false, lost_answers: 0 },
    });
    expect(await read(alive)).toEqual(before);
  });

  test('gives up what has expired too often, or may have come twice', async () => {
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

  test('repeats no acknowledgment that may have come, and searches for an export that may be there', async () => {
    const acknowledgment = { kind: 'acknowledgment', stage: null } as const;
    const came = await store({ ...acknowledgment, ...expired(), handed_over_at: ago(Minute) });
    const never = await store({ ...acknowledgment, ...expired() });
    const exported = await store({ kind: 'crm-export', stage: null, ...expired() });

    expect(await releaseExpiredLeases(database, limits)).toEqual({ returned: 2, dead: [] });
    expect(await read(came)).toMatchObject({ state: 'cancelled', maybe_duplicate: true });
    expect(await read(never)).toMatchObject({ state: 'pending', maybe_duplicate: false });
    expect(await read(exported)).toMatchObject({ state: 'pending', maybe_duplicate: true });
  });

  test('runs in one worker at a time', async () => {
    const runs: string[] = [];
    await withSweepLock(database, async () => {
      runs.push('first');
      await withSweepLock(database, async () => void runs.push('second'));
    });
    await withSweepLock(database, async () => void runs.push('third'));

    expect(runs).toEqual(['first', 'third']);
  });

  async function readPages() {
    const pages: Array<readonly ScheduledDelivery[]> = [];
    for await (const page of listPendingDeliveries(database)) pages.push(page);

    return pages;
  }

  test('reads all that is pending, kind by kind, the oldest first, with the time until it may be tried', async () => {
    const second = await store({ due_at: ago(Minute), retry_at: ahead(Hour), priority: 2 });
    const first = await store({ due_at: ago(Hour) });
    const exported = await store({ kind: 'crm-export', stage: null, due_at: ago(Day) });
    await store({ state: 'sent' });
    await store({ kind: 'chat', stage: null });
    await awaitProvider(database, 'chat');
    const pages = await readPages();

    expect(pages).toEqual([
      [
        { id: first, kind: 'follow-up', priority: 0, delayMs: 0 },
        { id: second, kind: 'follow-up', priority: 2, delayMs: expect.closeTo(Hour, -5) },
      ],
      [{ id: exported, kind: 'crm-export', priority: 0, delayMs: 0 }],
    ]);
  });

  test('reads more than a page of what was due at the same moment, each once', async () => {
    const submissionId = await storeSubmission(database);
    await database.raw(
      `insert into deliveries (submission_id, kind, stage, due_at, event_id)
      select ?, 'follow-up', 'new', now(), gen_random_uuid() from generate_series(1, 1001)`,
      [submissionId],
    );
    const pages = await readPages();

    expect(pages.map(({ length }) => length)).toEqual([500, 500, 1]);
    expect(new Set(pages.flat().map(({ id }) => id)).size).toBe(1_001);
  });

  test('knows how long the oldest has waited, what waits for a provider apart', async () => {
    expect([await readLongestWaitMs(database), await readOldestOverdueMs(database)]).toEqual([0, 0]);
    await store({ due_at: ahead(Hour) });
    expect([await readLongestWaitMs(database), await readOldestOverdueMs(database)]).toEqual([0, 0]);
    await store({ kind: 'chat', stage: null, due_at: ago(Day) });
    await awaitProvider(database, 'chat');
    expect([await readLongestWaitMs(database), await readOldestOverdueMs(database)]).toEqual([0, 0]);

    await store({ due_at: ago(Hour) });
    await store({ due_at: ago(2 * Hour), ...running() });
    await store({ due_at: ago(Day), state: 'sent' });
    expect(await readLongestWaitMs(database)).toBeCloseTo(Hour, -5);
    expect(await readOldestOverdueMs(database)).toBeCloseTo(2 * Hour, -5);
  });
});

describe('what operators are shown', () => {
  test('is what is neither sent nor cancelled, the first due first, or what they ask for', async () => {
    const second = await store({ due_at: ago(Hour), state: 'dead' });
    const first = await store({ due_at: ago(2 * Hour), ...running() });
    const third = await store({ kind: 'crm-export', stage: null, due_at: ahead(Hour) });
    const sent = await store({ state: 'sent' });
    const list = async (filter: Parameters<typeof listDeliveries>[1], limit = 9) => {
      const ids = (await listDeliveries(database, filter, limit)).map(({ id }) => id);
      if (limit === 9) expect(await countDeliveries(database, filter)).toBe(ids.length);

      return ids;
    };

    expect(await list({})).toEqual([first, second, third]);
    expect(await list({}, 2)).toEqual([first, second]);
    expect(await list({ state: 'sent' })).toEqual([sent]);
    expect(await list({ kind: 'crm-export' })).toEqual([third]);
    expect(await list({ kind: 'crm-export', state: 'sent' })).toEqual([]);
    expect(await list({ isOverdue: true })).toEqual([first]);
    await awaitProvider(database, 'follow-up');
    expect(await list({ isOverdue: true })).toEqual([]);
    expect(await list({ isOverdue: false })).toEqual([first, second, third]);
  });

  test('says of each delivery everything but its lease’s token, and how late it is while it can be', async () => {
    const late = await store({ due_at: ago(Hour) });
    const early = await store({ due_at: ahead(Hour) });
    const dead = await store({ due_at: ago(Day), state: 'dead' });
    const rows = await listDeliveries(database, {}, 9);
    const { lease_token: _, ...row } = (await read(late)) ?? {};

    expect(rows.find(({ id }) => id === late)).toEqual({ ...row, overdue_ms: expect.closeTo(Hour, -5) });
    for (const id of [early, dead]) expect(rows.find((each) => each.id === id)).toMatchObject({ overdue_ms: 0 });
    await awaitProvider(database, 'follow-up');
    expect(await listDeliveries(database, {}, 1)).toMatchObject([{ overdue_ms: 0 }]);
  });

  test('are the deliveries of some requests, also of those that have none', async () => {
    const [submission, empty] = [await storeSubmission(database), await storeSubmission(database)];
    const second = await storeDelivery(database, submission, { stage: 'due', due_at: ahead(Hour) });
    const first = await storeDelivery(database, submission, { due_at: ago(Hour), state: 'sent' });
    await store();
    const found = await listDeliveriesOf(database, [submission, empty]);

    expect([...found].map(([id, rows]) => [id, rows.map((row) => row.id)])).toEqual([
      [submission, [first, second]],
      [empty, []],
    ]);
    expect(found.get(submission)?.map(({ overdue_ms }) => overdue_ms)).toEqual([0, 0]);
  });

  test('are the states of deliveries, and how many there are of each', async () => {
    const late = await store({ due_at: ago(2 * Hour) });
    await store({ due_at: ago(Hour) });
    const dead = await store({ stage: 'due', due_at: ago(Day), state: 'dead' });
    const sent = await store({ kind: 'chat', stage: null, state: 'sent', due_at: ago(Hour) });

    expect(await readDeliveryStates(database, [late, dead, randomUUID()])).toEqual(
      new Map([
        [late, 'pending'],
        [dead, 'dead'],
      ]),
    );
    expect(await countUnfinishedGroups(database)).toEqual([
      { kind: 'follow-up', stage: 'new', state: 'pending', count: 2, oldestDueMs: expect.closeTo(2 * Hour, -5) },
      { kind: 'follow-up', stage: 'due', state: 'dead', count: 1, oldestDueMs: expect.closeTo(Day, -5) },
    ]);
    await change(sent, { state: 'cancelled' });
    expect(await countFinishedGroups(database)).toEqual([
      { kind: 'chat', stage: null, state: 'cancelled', count: 1, oldestDueMs: expect.closeTo(Hour, -5) },
    ]);
  });
});

test('sales is shown the mails about a request in their order, and which can’t be stopped any more', async () => {
  const submission = await storeSubmission(database);
  const sentAt = ago(Minute);
  const due = await storeDelivery(database, submission, { stage: 'due', due_at: ahead(Hour), recipient: 'a@b.example' });
  const reminder = await storeDelivery(database, submission, { stage: 'reminder', ...running(), handed_over_at: sentAt });
  const first = await storeDelivery(database, submission, { due_at: ago(Hour), state: 'sent', sent_at: sentAt });
  await storeDelivery(database, submission, { kind: 'chat', stage: null });
  await store();

  const mail = { recipient: null, sentAt: null, isUnderWay: false };
  expect(await listFollowUpMails(database, submission)).toEqual([
    { ...mail, id: first, stage: 'new', sentAt },
    { ...mail, id: reminder, stage: 'reminder', isUnderWay: true },
    { ...mail, id: due, stage: 'due', recipient: 'a@b.example' },
  ]);
  await change(reminder, { handed_over_at: null });
  expect((await listFollowUpMails(database, submission)).map(({ isUnderWay }) => isUnderWay)).toEqual([
    ...[false, false, false],
  ]);
});

test('what workers are at is counted, until the last of their leases ends', async () => {
  const submission = await storeSubmission(database);
  expect(await countRunningDeliveries(database, [submission])).toEqual({ count: 0, endsInMs: 0 });
  await storeDelivery(database, submission, running(Minute));
  await storeDelivery(database, submission, { stage: 'due', ...running(2 * Minute) });
  await storeDelivery(database, submission, { stage: 'reminder', ...expired() });
  await storeDelivery(database, submission, { kind: 'chat', stage: null });
  await store(running(Hour));

  expect(await countRunningDeliveries(database, [submission])).toEqual({
    count: 2,
    endsInMs: expect.closeTo(2 * Minute, -5),
  });
});

describe('deliveries', () => {
  test('are written with their times and priorities, about a request or a subscription', async () => {
    const submissionId = await storeSubmission(database);
    const [subscription] = await database('newsletter_subscriptions').insert({ email: 'a@b.example' }).returning('id');
    const subscriptionId = String(subscription?.id);
    const scheduled = await database.transaction(async (transaction) => [
      ...(await insertDeliveries(transaction, { submissionId }, [
        { kind: 'follow-up', stage: 'new', dueAfter: 0, priority: 3 },
        { kind: 'follow-up', stage: 'due', dueAfter: Hour },
      ])),
      ...(await insertDeliveries(transaction, { subscriptionId }, [{ kind: 'newsletter', stage: null, dueAfter: 0 }])),
    ]);

    expect(scheduled).toEqual([
      { id: expect.any(String), kind: 'follow-up', delayMs: 0, priority: 3 },
      { id: expect.any(String), kind: 'follow-up', delayMs: Hour, priority: 0 },
      { id: expect.any(String), kind: 'newsletter', delayMs: 0, priority: 0 },
    ]);
    const [first, second, third] = await Promise.all(scheduled.map(({ id }) => read(id)));
    expect(first).toMatchObject({ submission_id: submissionId, subscription_id: null, stage: 'new', priority: 3 });
    expect(second).toMatchObject({ submission_id: submissionId, stage: 'due', priority: 0 });
    expect(Number(second?.due_at) - Number(first?.due_at)).toBe(Hour);
    expect(third).toMatchObject({ submission_id: null, subscription_id: subscriptionId, kind: 'newsletter' });
  });

  test('are written with their request by one statement; about one that is there, none', async () => {
    const request = { id: randomUUID(), name: 'Ada', email: 'ada@example.org', company: 'Sweets', body_hash: 'x' };
    const write = () =>
      database.transaction((transaction) =>
        insertDeliveriesOf(
          transaction,
          transaction('contact_submissions')
            .insert({ ...request, submitted_at: new Date() })
            .onConflict('id')
            .ignore()
            .returning('id'),
          [
            { kind: 'follow-up', stage: 'new', dueAfter: 0, priority: 3 },
            { kind: 'crm-export', stage: null, dueAfter: Hour },
            { kind: 'chat', stage: null, dueAfter: Minute },
          ],
        ),
      );
    const scheduled = await write();

    expect(scheduled).toEqual([
      { id: expect.any(String), kind: 'follow-up', delayMs: 0, priority: 3 },
      { id: expect.any(String), kind: 'crm-export', delayMs: Hour, priority: 0 },
      { id: expect.any(String), kind: 'chat', delayMs: Minute, priority: 0 },
    ]);
    const [first, second] = await Promise.all(scheduled.map(({ id }) => read(id)));
    expect(first).toMatchObject({ submission_id: request.id, stage: 'new', priority: 3 });
    expect(second).toMatchObject({ submission_id: request.id, kind: 'crm-export', stage: null, priority: 0 });
    expect(Number(second?.due_at) - Number(first?.due_at)).toBe(Hour);
    expect(await write()).toEqual([]);
    expect(await database('deliveries')).toHaveLength(3);
  });

  test('about erased requests are cancelled, but for what is sent or being sent', async () => {
    const submission = await storeSubmission(database);
    const pending = await storeDelivery(database, submission);
    const dead = await storeDelivery(database, submission, { stage: 'reminder', state: 'dead' });
    const leased = await storeDelivery(database, submission, { stage: 'due', ...running() });
    const sent = await storeDelivery(database, submission, { kind: 'chat', stage: null, state: 'sent' });
    const other = await store();

    expect(await database.transaction((transaction) => cancelErasedDeliveries(transaction, [submission]))).toBe(2);
    for (const id of [pending, dead]) expect(await read(id)).toMatchObject({ state: 'cancelled', last_error: 'erased' });
    expect(await readDeliveryStates(database, [leased, sent, other])).toEqual(
      new Map([
        [leased, 'leased'],
        [sent, 'sent'],
        [other, 'pending'],
      ]),
    );
  });

  test('that are dead can be tried anew: all, some, or those of a kind', async () => {
    const dead = {
      ...{ attempts: 7, lease_expiries: 10, lost_answers: 2, retry_at: ahead(Hour), priority: 4 },
      state: 'dead',
    } as const;
    const first = await store(dead);
    const second = await store({ ...dead, due_at: ahead(Hour), attempts: 0 });
    const exported = await store({ ...dead, kind: 'crm-export', stage: null });
    const pending = await store({ attempts: 3 });

    expect(await requeueDeliveries(database, { ids: [first, pending] })).toEqual([
      { id: first, kind: 'follow-up', priority: 4, delayMs: 0 },
    ]);
    expect(await read(first)).toMatchObject({
      ...{ state: 'pending', attempts: 1, lease_expiries: 0, lost_answers: 0, retry_at: null },
    });
    expect(await requeueDeliveries(database, { kind: 'crm-export' })).toMatchObject([{ id: exported }]);
    expect(await requeueDeliveries(database, { kind: undefined })).toEqual([
      { id: second, kind: 'follow-up', priority: 4, delayMs: expect.closeTo(Hour, -5) },
    ]);
    expect(await read(second)).toMatchObject({ attempts: 0 });
    expect(await read(pending)).toMatchObject({ state: 'pending', attempts: 3 });
  });
});

test('a subscriber gets no further mail while one is on its way, shortly after the last, or after so many in a day', async () => {
  const [row] = await database('newsletter_subscriptions').insert({ email: 'a@b.example' }).returning('id');
  const subscriptionId = String(row?.id);
  const limits = { pauseMs: 10 * Minute, perDay: 3 };
  const hasEnough = () =>
    database.transaction((transaction) => hasEnoughNewsletterMails(transaction, subscriptionId, limits));
  const storeMail = async (values: Partial<DeliveryRow>) => {
    await database('deliveries').insert({ subscription_id: subscriptionId, kind: 'newsletter', ...values });
  };
  const clear = () => database('deliveries').delete();
  const [other] = await database('newsletter_subscriptions').insert({ email: 'other@b.example' }).returning('id');

  expect(await hasEnough()).toBe(false);
  await storeMail({ subscription_id: String(other?.id), due_at: ago(Hour), state: 'pending' });
  expect(await hasEnough()).toBe(false);
  await storeMail({ due_at: ago(Hour), state: 'pending' });
  expect(await hasEnough()).toBe(true);
  await clear();
  await storeMail({ due_at: ago(Hour), ...running() });
  expect(await hasEnough()).toBe(true);
  await clear();
  await storeMail({ due_at: ago(9 * Minute), state: 'sent' });
  expect(await hasEnough()).toBe(true);
  await clear();
  await storeMail({ due_at: ago(11 * Minute), state: 'sent' });
  await storeMail({ due_at: ago(23 * Hour), state: 'dead' });
  for (let count = 0; count < 5; count += 1) await storeMail({ due_at: ago(25 * Hour), state: 'sent' });
  expect(await hasEnough()).toBe(false);
  await storeMail({ due_at: ago(12 * Hour), state: 'sent' });
  expect(await hasEnough()).toBe(true);
});

describe('a hold', () => {
  test('stays as it was begun, unless a backup is restored', async () => {
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

  test('says by kind what waits for its end, and what of it was due when it began', async () => {
    await store({ due_at: ago(Hour) });
    await holdDeliveries(database);
    await database('delivery_hold').update({ held_at: ago(Minute) });
    await store({ due_at: ago(Second) });
    await store({ due_at: ahead(Hour), ...running() });
    await store({ state: 'sent', due_at: ago(Hour) });
    await store({ kind: 'chat', stage: null, due_at: ago(Hour) });
    await awaitProvider(database, 'chat');

    expect(await countHeldDeliveries(database)).toEqual([
      { kind: 'chat', pending: 1, due: 0, dueBefore: 1 },
      { kind: 'follow-up', pending: 3, due: 2, dueBefore: 1 },
    ]);
  });

  test('has its table made where a restore needs it before there is a schema, and left where it is', async () => {
    await database.schema.dropTable('delivery_hold');
    await createHoldTable(database);
    await holdDeliveries(database);
    const hold = await readHold(database);
    await createHoldTable(database);

    expect(hold?.heldAt).toBeInstanceOf(Date);
    expect(await readHold(database)).toEqual(hold);
  });

  test('by hand changes nothing of the deliveries', async () => {
    const ids = [await store({ due_at: ago(Hour) }), await store({ kind: 'acknowledgment', stage: null })];
    const before = await Promise.all(ids.map(read));
    await holdDeliveries(database);
    await releaseDeliveries(database);

    expect(await Promise.all(ids.map(read))).toEqual(before);
  });

  test('after a restore marks what was due before, and cancels acknowledgments', async () => {
    const past = { due_at: ago(Hour) };
    const acknowledgment = { kind: 'acknowledgment', stage: null } as const;
    const pending = await store(past);
    const tried = await store({ ...past, attempts: 3 });
    const leased = await store({ ...past, ...running() });
    const dead = await store({ ...past, state: 'dead' });
    const sent = await store({ ...past, state: 'sent' });
    const settled = await store({ ...past, state: 'cancelled', last_error: 'contacted' });
    const undone = await store({ ...past, state: 'cancelled', last_error: 'undone' });
    const future = await store({ due_at: ahead(Hour) });
    const settledAcknowledgment = await store({ ...past, ...acknowledgment, state: 'cancelled', last_error: 'unfit' });
    const acknowledged = await store({ ...past, ...acknowledgment, ...running() });
    const laterAcknowledged = await store({ due_at: ahead(Hour), ...acknowledgment });
    const sentAcknowledgment = await store({ ...past, ...acknowledgment, state: 'sent' });
    await holdDeliveries(database, ago(Minute));
    await releaseDeliveries(database);

    expect(await read(pending)).toMatchObject({ state: 'pending', maybe_duplicate: true, attempts: 1 });
    expect(await read(tried)).toMatchObject({ maybe_duplicate: true, attempts: 3 });
    expect(await read(leased)).toMatchObject({ state: 'leased', maybe_duplicate: true, attempts: 1 });
    expect(await read(dead)).toMatchObject({ state: 'dead', maybe_duplicate: true });
    expect(await read(settled)).toMatchObject({ state: 'cancelled', last_error: 'contacted', maybe_duplicate: true });
    for (const id of [sent, undone, future]) {
      expect(await read(id)).toMatchObject({ maybe_duplicate: false, attempts: 0 });
    }
    expect(await read(settledAcknowledgment)).toMatchObject({ state: 'cancelled', last_error: 'restored' });
    expect(await read(acknowledged)).toMatchObject({
      ...{ state: 'cancelled', last_error: 'restored', lease_token: null, lease_until: null },
    });
    expect(await read(laterAcknowledged)).toMatchObject({ state: 'pending' });
    expect(await read(sentAcknowledgment)).toMatchObject({ state: 'sent', maybe_duplicate: false });
  });
});

describe('a pause', () => {
  const pause = (ms: number, reason: string) =>
    pauseQueue(database, 'chat', { ms, reason, endsWithRestart: false });

  test('that is longer already stays, with its reason; a longer one takes its place', async () => {
    expect(await pause(Hour, 'first')).toBe(true);
    expect(await pause(Minute, 'second')).toBe(false);
    expect(await listPauses(database)).toMatchObject([{ reason: 'first' }]);
    expect(await pause(2 * Hour, 'third')).toBe(false);

    const [only, ...others] = await listPauses(database);
    expect(only).toEqual({ kind: 'chat', reason: 'third', until: expect.any(Date) });
    expect(Number(only?.until) - Date.now()).toBeGreaterThan(119 * Minute);
    expect(others).toEqual([]);
  });

  test('that is over is none, and the next one is new', async () => {
    await pause(-1, 'first');
    expect(await listPauses(database)).toEqual([]);
    expect(await pause(Minute, 'second')).toBe(true);
  });

  test('ends for its kind alone, and doesn’t give it a provider', async () => {
    await pauseQueue(database, 'follow-up', { ms: Hour, reason: 'y', endsWithRestart: true });
    await pause(Hour, 'x');
    await awaitProvider(database, 'crm-export');
    expect((await listPauses(database)).map(({ kind }) => kind)).toEqual(['chat', 'follow-up']);

    await resumeQueue(database, 'chat');
    await resumeQueue(database, 'crm-export');
    expect((await listPauses(database)).map(({ kind }) => kind)).toEqual(['follow-up']);
    expect(await readWaitMs(database, await store({ kind: 'crm-export', stage: null }))).toBeUndefined();
  });
});

test('an acknowledgment that was handed over within a day is known in any spelling of its address, but not to itself', async () => {
  const submission = await storeSubmission(database, { email: 'Ada@BÜCHER.example' });
  const id = await storeDelivery(database, submission, {
    ...{ kind: 'acknowledgment', stage: null, state: 'sent', handed_over_at: ago(23 * Hour) },
  });
  const isKnown = (email: string, own: string = randomUUID()) => wasAcknowledged(database, { id: own }, email);

  expect(await isKnown('ada@xn--bcher-kva.example')).toBe(true);
  expect(await isKnown('ada@xn--bcher-kva.example', id)).toBe(false);
  expect(await isKnown('bob@xn--bcher-kva.example')).toBe(false);
  await change(id, { handed_over_at: ago(25 * Hour) });
  expect(await isKnown('ada@xn--bcher-kva.example')).toBe(false);
  await change(id, { handed_over_at: ago(Hour), kind: 'chat' });
  expect(await isKnown('ada@xn--bcher-kva.example')).toBe(false);
});

test('of several acknowledgments to an address one is handed over, however it is spelt', async () => {
  const acknowledgment = { kind: 'acknowledgment', stage: null } as const;
  const claims: Array<Awaited<ReturnType<typeof claim>>> = [];
  for (const email of ['ada@bücher.example', 'Ada@xn--bcher-kva.example', 'bob@bücher.example']) {
    claims.push(await claim(await storeDelivery(database, await storeSubmission(database, { email }), acknowledgment)));
  }
  const [first, second, other] = claims;
  if (!first || !second || !other) throw new Error('They are three.');
  const handOvers = await Promise.all([
    recordAcknowledgmentHandOver(database, first, 'ada@bücher.example'),
    recordAcknowledgmentHandOver(database, second, 'Ada@xn--bcher-kva.example'),
  ]);

  expect(handOvers.toSorted()).toEqual([false, true]);
  expect(await recordAcknowledgmentHandOver(database, other, 'bob@bücher.example')).toBe(true);
  expect(await Promise.all(claims.map((claimed) => wasHandedOver(database, claimed)))).toEqual([...handOvers, true]);
});

describe('what sales does about a request', () => {
  const inTransaction = <Result>(work: (transaction: Transaction) => Promise<Result>) => database.transaction(work);

  /** A request with a mail in every state that matters; their ids by name. */
  async function storeMails() {
    const submission = await storeSubmission(database);
    const add = (values: Partial<DeliveryRow>) => storeDelivery(database, submission, values);

    return {
      submission,
      sent: await add({ state: 'sent' }),
      dead: await add({ stage: 'reminder', due_at: ahead(Hour), state: 'dead', last_error: 'smtp-550' }),
      due: await add({ stage: 'due', due_at: ahead(3 * Hour), last_error: 'smtp-451', priority: 2 }),
      leased: await add({ kind: 'chat', stage: null, ...running() }),
      handedOver: await add({ kind: 'acknowledgment', stage: null, ...running(), handed_over_at: new Date() }),
      exported: await add({ kind: 'crm-export', stage: null }),
      other: await store(),
    };
  }
  const sortById = <Row extends { readonly id: string }>(rows: readonly Row[]) =>
    rows.toSorted((one, another) => one.id.localeCompare(another.id));
  const readStates = async (ids: readonly string[]) => {
    const states = await readDeliveryStates(database, ids);

    return ids.map((id) => states.get(id));
  };

  test.each(['contacted', 'unfit'] as const)('cancels its mails and its announcement: it is %s', async (reason) => {
    const { submission, sent, dead, due, leased, handedOver, exported, other } = await storeMails();
    const cancelled = await inTransaction((transaction) => cancelFollowUps(transaction, submission, reason));

    expect(sortById(cancelled)).toEqual(
      sortById([
        { id: dead, stage: 'reminder', state: 'dead', error: 'smtp-550' },
        { id: due, stage: 'due', state: 'pending', error: 'smtp-451' },
        { id: leased, stage: null, state: 'pending', error: null },
      ]),
    );
    for (const id of [dead, due, leased]) {
      expect(await read(id)).toMatchObject({
        ...{ state: 'cancelled', last_error: reason, lease_token: null, lease_until: null },
      });
    }
    expect(await readStates([sent, handedOver, exported, other])).toEqual(['sent', 'leased', 'pending', 'pending']);
  });

  test('is undone mail by mail, each as it was', async () => {
    const { submission, dead, due, leased, other } = await storeMails();
    const restore = (...parameters: Parameters<typeof restoreMails> extends [unknown, ...infer Rest] ? Rest : never) =>
      inTransaction((transaction) => restoreMails(transaction, ...parameters));
    const cancelled = await inTransaction((transaction) => cancelFollowUps(transaction, submission, 'contacted'));
    expect(await restore(submission, [])).toEqual([]);
    expect(await restore(randomUUID(), cancelled)).toEqual([]);
    const scheduled = await restore(submission, cancelled);

    expect(sortById(scheduled)).toEqual(
      sortById([
        { id: due, kind: 'follow-up', priority: 2, delayMs: expect.closeTo(3 * Hour, -5) },
        { id: leased, kind: 'chat', priority: 0, delayMs: 0 },
      ]),
    );
    expect(await read(dead)).toMatchObject({ state: 'dead', last_error: 'smtp-550' });
    expect(await read(due)).toMatchObject({ state: 'pending', last_error: 'smtp-451' });
    expect(await restore(submission, [{ id: other, stage: 'new', state: 'dead', error: null }, ...cancelled])).toEqual([]);
    expect(await readStates([other])).toEqual(['pending']);
  });

  test('is undone after the release of a restore: what may have been sent is marked, and no acknowledgment comes back', async () => {
    const submission = await storeSubmission(database);
    const mail = await storeDelivery(database, submission, { due_at: ago(Hour) });
    const acknowledgment = await storeDelivery(database, submission, {
      ...{ kind: 'acknowledgment', stage: null, due_at: ago(Hour) },
    });
    await holdDeliveries(database, ago(Minute));
    const cancelled = await inTransaction((transaction) => cancelFollowUps(transaction, submission, 'contacted'));
    await releaseDeliveries(database);
    const scheduled = await inTransaction((transaction) => restoreMails(transaction, submission, cancelled));

    expect(cancelled.map(({ id }) => id).sort()).toEqual([mail, acknowledgment].sort());
    expect(scheduled.map(({ id }) => id)).toEqual([mail]);
    expect(await read(mail)).toMatchObject({ state: 'pending', maybe_duplicate: true });
    expect(await read(acknowledgment)).toMatchObject({ state: 'cancelled', last_error: 'restored' });
  });

  test('revives what workers cancelled meanwhile, for the same reason only', async () => {
    const { submission, sent, due, leased, exported, other } = await storeMails();
    await change(leased, { state: 'cancelled', last_error: 'unfit', lease_token: null, lease_until: null });
    await change(due, { state: 'cancelled', last_error: 'contacted' });
    await change(exported, { state: 'cancelled', last_error: 'unfit' });
    await change(sent, { last_error: 'unfit' });
    await change(other, { state: 'cancelled', last_error: 'unfit' });
    const revived = await inTransaction((transaction) => returnMailsToPending(transaction, submission, 'unfit'));

    expect(revived).toEqual([{ id: leased, kind: 'chat', priority: 0, delayMs: 0 }]);
    expect(await read(leased)).toMatchObject({ state: 'pending', last_error: null });
    expect(await readStates([due, exported, sent, other])).toEqual(['cancelled', 'cancelled', 'sent', 'cancelled']);
  });

  test('cancels the reminders before the time it chose, and those of an earlier choice', async () => {
    const submission = await storeSubmission(database);
    const add = (values: Partial<DeliveryRow>) => storeDelivery(database, submission, values);
    const reminder = await add({ stage: 'reminder', due_at: ahead(Hour) });
    const ofEarlier = await add({ stage: 'reminder', due_at: ahead(9 * Hour), event_id: randomUUID() });
    const due = await add({ stage: 'due', due_at: ahead(2 * Hour) });
    const first = await add({ stage: 'new', due_at: ahead(Minute) });
    const cancel = async (until: Date, isPastPromise: boolean) => {
      const mails = await inTransaction((transaction) => cancelReminders(transaction, submission, until, isPastPromise));

      return mails.map(({ id }) => id);
    };

    expect(await cancel(ahead(Minute), false)).toEqual([ofEarlier]);
    expect(await cancel(ahead(3 * Hour), false)).toEqual([reminder]);
    expect(await cancel(ahead(Hour), true)).toEqual([]);
    expect(await cancel(ahead(3 * Hour), true)).toEqual([due]);
    expect(await read(due)).toMatchObject({ state: 'cancelled', last_error: 'snoozed' });
    expect(await readStates([first])).toEqual(['pending']);
  });

  test('writes one more mail, at once or at a time, that can be taken back', async () => {
    const submissionId = await storeSubmission(database);
    const [now, later] = [randomUUID(), randomUUID()];
    const dueAt = ahead(Hour);
    const insert = (mail: Parameters<typeof insertEventMail>[1]) =>
      inTransaction((transaction) => insertEventMail(transaction, mail));
    const cancelOf = (eventId: string) =>
      inTransaction((transaction) => cancelMailOf(transaction, submissionId, eventId));
    const atOnce = { submissionId, eventId: now, stage: 'new', recipient: 'bob@example.com' } as const;
    const [first] = await insert(atOnce);
    const [second] = await insert({ submissionId, eventId: later, stage: 'reminder', recipient: null, dueAt });

    expect(first).toEqual({ id: expect.any(String), kind: 'follow-up', priority: 0, delayMs: 0 });
    expect(second).toMatchObject({ delayMs: expect.closeTo(Hour, -5) });
    expect(await read(first?.id ?? '')).toMatchObject({
      ...{ submission_id: submissionId, stage: 'new', recipient: 'bob@example.com', event_id: now, state: 'pending' },
    });
    expect(await read(second?.id ?? '')).toMatchObject({ stage: 'reminder', recipient: null, due_at: dueAt });
    expect(await cancelOf(randomUUID())).toEqual([]);
    expect(await cancelOf(later)).toEqual([{ id: second?.id, stage: 'reminder', state: 'pending', error: null }]);
    expect(await read(second?.id ?? '')).toMatchObject({ state: 'cancelled', last_error: 'undone' });
    expect(await readStates([first?.id ?? ''])).toEqual(['pending']);
  });
});

test('the waits of a plan are those of the promise, in business time from now by PostgreSQL’s clock', async () => {
  const waits = { reminderAfter: 20 * Hour, dueAfter: 24 * Hour };
  const always = parseWeeklyHours('Mon-Sun 00:00-24:00');
  if ('error' in always) throw new Error(always.error);
  // Closed for the next ten hours: they are no time of the promise.
  const closures = [{ start: Date.now() - Hour, end: Date.now() + 10 * Hour }];
  const businessTime = { hours: always.hours, timeZone: 'UTC', closures };
  const inBusinessTime = createDeliveryPlanner(createResponsePromise({ ...waits, businessTime }), {
    ...{ acknowledges: false, hasChat: false },
  });
  const plan = createDeliveryPlanner(createResponsePromise(waits), { acknowledges: true, hasChat: true });
  const planned = await database.transaction((transaction) => plan(transaction));

  expect(planned.map(({ kind, stage, dueAfter }) => [kind, stage, dueAfter])).toEqual([
    ['follow-up', 'new', 0],
    ['follow-up', 'reminder', 20 * Hour],
    ['follow-up', 'due', 24 * Hour],
    ['crm-export', null, 0],
    ['acknowledgment', null, 0],
    ['chat', null, 0],
  ]);
  const later = await database.transaction((transaction) => inBusinessTime(transaction));
  expect(later.map(({ stage, dueAfter }) => [stage, dueAfter])).toEqual([
    ['new', 0],
    ['reminder', expect.closeTo(30 * Hour, -5)],
    ['due', expect.closeTo(34 * Hour, -5)],
    [null, 0],
  ]);
});
