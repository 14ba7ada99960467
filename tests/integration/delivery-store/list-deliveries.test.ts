import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { pauseUntilProviderIsSet } from '../../../shared/node/deliveries/delivery-pauses.ts';
import {
  countDeliveries,
  countFinishedGroups,
  countRunningDeliveries,
  countUnfinishedGroups,
  listDeliveries,
  listDeliveriesOf,
  listFollowUpMails,
  readDeliveryStates,
} from '../../../shared/node/deliveries/list-deliveries.ts';
import { Day, Hour, Minute } from '../../../shared/time.ts';
import { ago } from '../../support/ago.ts';
import { storeDelivery, storeSubmission } from '../../support/stored-requests.ts';
import { ahead, change, database, expired, read, running, setUpDatabase, store } from './fixture.ts';

setUpDatabase();

describe('the lists for operators', () => {
  test('contain the deliveries that are neither sent nor cancelled, earliest first, or those that match a filter', async () => {
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
    await pauseUntilProviderIsSet(database, 'follow-up');
    expect(await list({ isOverdue: true })).toEqual([]);
    expect(await list({ isOverdue: false })).toEqual([first, second, third]);
  });

  test('show a delivery without its lease token, and its delay if it is pending and has a provider', async () => {
    const late = await store({ due_at: ago(Hour) });
    const early = await store({ due_at: ahead(Hour) });
    const dead = await store({ due_at: ago(Day), state: 'dead' });
    const rows = await listDeliveries(database, {}, 9);
    const { lease_token: _, ...row } = (await read(late)) ?? {};

    expect(rows.find(({ id }) => id === late)).toEqual({ ...row, overdue_ms: expect.closeTo(Hour, -5) });
    for (const id of [early, dead]) expect(rows.find((each) => each.id === id)).toMatchObject({ overdue_ms: 0 });
    await pauseUntilProviderIsSet(database, 'follow-up');
    expect(await listDeliveries(database, {}, 1)).toMatchObject([{ overdue_ms: 0 }]);
  });

  test('group deliveries by request, with an empty list for a request that has none', async () => {
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

  test('accept more requests than a query can have parameters', async () => {
    const submission = await storeSubmission(database);
    const delivery = await storeDelivery(database, submission);
    const others = Array.from({ length: 70_000 }, () => randomUUID());

    const found = await listDeliveriesOf(database, [...others, submission]);

    expect(found.get(submission)).toMatchObject([{ id: delivery }]);
  });

  test('show the state of each delivery and the number of deliveries in each state', async () => {
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

test('sales sees the mails about a request in order, and whether a mail is already being sent', async () => {
  const submission = await storeSubmission(database);
  const sentAt = ago(Minute);
  const due = await storeDelivery(database, submission, { stage: 'due', due_at: ahead(Hour), recipient: 'a@b.example' });
  const reminder = await storeDelivery(database, submission, { stage: 'reminder', ...running(), handed_over_at: sentAt });
  const first = await storeDelivery(database, submission, { due_at: ago(Hour), state: 'sent', sent_at: sentAt });
  await storeDelivery(database, submission, { kind: 'chat', stage: null });
  await store();

  const mail = { eventId: null, recipient: null, sentAt: null, isUnderWay: false };
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

test('running deliveries are counted, with the time until their last lease ends', async () => {
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
