import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Transaction } from '../../../shared/node/database/database.ts';
import { insertEvent } from '../../../shared/node/contact/submission-events.ts';
import { holdDeliveries, releaseDeliveries } from '../../../shared/node/deliveries/delivery-hold.ts';
import type { DeliveryRow } from '../../../shared/node/deliveries/delivery-table.ts';
import { readDeliveryStates } from '../../../shared/node/deliveries/list-deliveries.ts';
import {
  cancelFollowUps,
  cancelMailOf,
  cancelReminders,
  cancelRestored,
  insertEventMail,
  restoreMails,
  restorePlanned,
  returnMailsToPending,
} from '../../../shared/node/deliveries/outcome-mails.ts';
import { Hour, Minute } from '../../../shared/time.ts';
import { ago } from '../../support/ago.ts';
import { storeDelivery, storeSubmission } from '../../support/stored-requests.ts';
import { ahead, change, database, read, running, setUpDatabase, store } from './fixture.ts';

setUpDatabase();

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
      due: await add({ stage: 'due', due_at: ahead(3 * Hour), last_error: 'smtp-451' }),
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
        { id: due, kind: 'follow-up', delayMs: expect.closeTo(3 * Hour, -5) },
        { id: leased, kind: 'chat', delayMs: 0 },
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
    const cancelled = await inTransaction(async (transaction) => {
      const details = { cancelled: await cancelFollowUps(transaction, submission, 'contacted') };
      await insertEvent(transaction, { id: randomUUID(), submissionId: submission, by: null, what: 'contacted', details });

      return details.cancelled;
    });
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

    expect(revived).toEqual([{ id: leased, kind: 'chat', delayMs: 0 }]);
    expect(await read(leased)).toMatchObject({ state: 'pending', last_error: null });
    expect(await readStates([due, exported, sent, other])).toEqual(['cancelled', 'cancelled', 'sent', 'cancelled']);
  });

  test('cancels the reminders before the time it chose, and those of an earlier choice', async () => {
    const submission = await storeSubmission(database);
    const add = (values: Partial<DeliveryRow>) => storeDelivery(database, submission, values);
    const reminder = await add({ stage: 'reminder', due_at: ahead(Hour) });
    const ofEarlier = await add({ stage: 'reminder', due_at: ahead(9 * Hour), event_id: randomUUID() });
    const movedBefore = await add({ stage: 'due', due_at: ahead(9 * Hour), event_id: randomUUID() });
    const handOver = await add({ stage: 'new', due_at: ahead(Minute), event_id: randomUUID() });
    const due = await add({ stage: 'due', due_at: ahead(2 * Hour) });
    const first = await add({ stage: 'new', due_at: ahead(Minute) });
    const cancel = async (until: Date, isPastPromise: boolean) => {
      const mails = await inTransaction((transaction) => cancelReminders(transaction, submission, until, isPastPromise));

      return mails.map(({ id }) => id);
    };

    expect((await cancel(ahead(Minute), false)).sort()).toEqual([ofEarlier, movedBefore].sort());
    expect(await cancel(ahead(3 * Hour), false)).toEqual([reminder]);
    expect(await cancel(ahead(Hour), true)).toEqual([]);
    expect(await cancel(ahead(3 * Hour), true)).toEqual([due]);
    expect(await read(due)).toMatchObject({ state: 'cancelled', last_error: 'snoozed' });
    expect(await readStates([first, handOver])).toEqual(['pending', 'pending']);
  });

  test('brings back what a choice before had held back and this one doesn’t, until that is undone', async () => {
    const submission = await storeSubmission(database);
    const add = (values: Partial<DeliveryRow>) =>
      storeDelivery(database, submission, { state: 'cancelled', last_error: 'snoozed', ...values });
    const reminder = await add({ stage: 'reminder', due_at: ahead(Hour) });
    const due = await add({ stage: 'due', due_at: ahead(2 * Hour) });
    const others = [
      await add({ stage: 'due', due_at: ahead(5 * Hour), event_id: randomUUID() }),
      await add({ stage: 'new', due_at: ahead(5 * Hour), last_error: 'undone' }),
      await storeDelivery(database, await storeSubmission(database), {
        ...{ stage: 'due', due_at: ahead(5 * Hour), state: 'cancelled', last_error: 'snoozed' },
      }),
    ];
    const restore = async (until: Date, isPastPromise: boolean) => {
      const { scheduled, hasPromised } = await inTransaction((transaction) =>
        restorePlanned(transaction, submission, until, isPastPromise));

      return [scheduled.map(({ id }) => id), hasPromised];
    };
    const cancelAgain = async (...ids: string[]) =>
      sortById(await inTransaction((transaction) => cancelRestored(transaction, submission, ids)));

    expect(await restore(ahead(3 * Hour), true)).toEqual([[], false]);
    expect(await restore(ahead(90 * Minute), true)).toEqual([[due], true]);
    expect(await cancelAgain(due)).toEqual([{ id: due, stage: 'due', state: 'pending', error: null }]);
    expect(await restore(ahead(3 * Hour), false)).toEqual([[due], true]);
    expect(await restore(ahead(Minute), false)).toEqual([[reminder], false]);
    expect((await cancelAgain(reminder, due, ...others)).map(({ id }) => id)).toEqual([reminder, due].sort());
    await change(due, { due_at: ago(Minute) });
    expect(await restore(ahead(3 * Hour), false)).toEqual([[], false]);
    expect(await read(due)).toMatchObject({ state: 'cancelled', last_error: 'snoozed' });
    expect(await readStates(others)).toEqual(['cancelled', 'cancelled', 'cancelled']);
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

    expect(first).toEqual({ id: expect.any(String), kind: 'follow-up', delayMs: 0 });
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
