import { describe, expect, test } from 'vitest';
import {
  cancelErasedDeliveries,
  isNewsletterMailLimitReached,
  insertDeliveries,
  insertWithDeliveries,
  requeueDeliveries,
} from '../../../shared/node/deliveries/delivery-store.ts';
import type { DeliveryRow } from '../../../shared/node/deliveries/delivery-table.ts';
import { readDeliveryStates } from '../../../shared/node/deliveries/list-deliveries.ts';
import { Hour, Minute } from '../../../shared/time.ts';
import { ago } from '../../support/ago.ts';
import { makeNewSubmission, storeDelivery, storeSubmission } from '../../support/stored-requests.ts';
import { ahead, database, read, running, setUpDatabase, store } from './fixture.ts';

setUpDatabase();

describe('deliveries', () => {
  test('are stored with their due times, for a request or a subscription', async () => {
    const submissionId = await storeSubmission(database);
    const [subscription] = await database('newsletter_subscriptions').insert({ email: 'a@b.example' }).returning('id');
    const subscriptionId = String(subscription?.id);
    const scheduled = await database.transaction(async (transaction) => [
      ...(await insertDeliveries(transaction, { submission_id: submissionId }, [
        { kind: 'follow-up', stage: 'new', dueAfter: 0 },
        { kind: 'follow-up', stage: 'due', dueAfter: Hour },
      ])),
      ...(await insertDeliveries(transaction, { subscription_id: subscriptionId }, [{ kind: 'newsletter', stage: null, dueAfter: 0 }])),
    ]);

    expect(scheduled).toEqual([
      { id: expect.any(String), kind: 'follow-up', delayMs: 0 },
      { id: expect.any(String), kind: 'follow-up', delayMs: Hour },
      { id: expect.any(String), kind: 'newsletter', delayMs: 0 },
    ]);
    const [first, second, third] = await Promise.all(scheduled.map(({ id }) => read(id)));
    expect(first).toMatchObject({ submission_id: submissionId, subscription_id: null, stage: 'new' });
    expect(second).toMatchObject({ submission_id: submissionId, stage: 'due' });
    expect(Number(second?.due_at) - Number(first?.due_at)).toBe(Hour);
    expect(third).toMatchObject({ submission_id: null, subscription_id: subscriptionId, kind: 'newsletter' });
  });

  test('are stored together with their request, but not if the request already exists', async () => {
    const request = makeNewSubmission();
    const write = () =>
      database.transaction((transaction) =>
        insertWithDeliveries(transaction, request, [
          { kind: 'follow-up', stage: 'new', dueAfter: 0 },
          { kind: 'crm-export', stage: null, dueAfter: Hour },
        ]),
      );

    expect(await write()).toEqual([
      { id: expect.any(String), kind: 'follow-up', delayMs: 0 },
      { id: expect.any(String), kind: 'crm-export', delayMs: Hour },
    ]);
    expect(await write()).toBeUndefined();
    expect(await database('deliveries').where({ submission_id: request.id })).toHaveLength(2);
  });

  test('of erased requests are cancelled unless they are sent or leased', async () => {
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

  test('that are dead can be retried: all of them, some of them, or those of one kind', async () => {
    const dead = {
      ...{ attempts: 7, lease_expiries: 10, lost_answers: 2, retry_at: ahead(Hour) },
      state: 'dead',
    } as const;
    const first = await store(dead);
    const second = await store({ ...dead, due_at: ahead(Hour), attempts: 0 });
    const exported = await store({ ...dead, kind: 'crm-export', stage: null });
    const pending = await store({ attempts: 3 });

    expect(await requeueDeliveries(database, { ids: [first, pending] })).toEqual([
      { id: first, kind: 'follow-up', delayMs: 0 },
    ]);
    expect(await read(first)).toMatchObject({
      ...{ state: 'pending', attempts: 1, lease_expiries: 0, lost_answers: 0, retry_at: null },
    });
    expect(await requeueDeliveries(database, { kind: 'crm-export' })).toMatchObject([{ id: exported }]);
    expect(await requeueDeliveries(database, { kind: undefined })).toEqual([
      { id: second, kind: 'follow-up', delayMs: expect.closeTo(Hour, -5) },
    ]);
    expect(await read(second)).toMatchObject({ attempts: 0 });
    expect(await read(pending)).toMatchObject({ state: 'pending', attempts: 3 });
  });
});

test('a mailbox gets no further mail while one is pending, shortly after the last one, or after the daily limit is reached', async () => {
  const subscribe = async (email: string, mailbox: string) => {
    const [row] = await database('newsletter_subscriptions').insert({ email, mailbox }).returning('id');

    return String(row?.id);
  };
  const subscriptionId = await subscribe('a+1@b.example', 'a@b.example');
  const limits = { pauseMs: 10 * Minute, perDay: 3 };
  const isLimitReached = (unsubscribedAt: Date | null = null) =>
    database.transaction((transaction) => isNewsletterMailLimitReached(transaction, 'a@b.example', limits, unsubscribedAt));
  const storeMail = async (values: Partial<DeliveryRow>) => {
    await database('deliveries').insert({ subscription_id: subscriptionId, kind: 'newsletter', ...values });
  };
  const clear = () => database('deliveries').delete();
  const same = await subscribe('a+2@b.example', 'a@b.example');
  const other = await subscribe('other@b.example', 'other@b.example');

  expect(await isLimitReached()).toBe(false);
  await storeMail({ subscription_id: other, due_at: ago(Hour), state: 'pending' });
  expect(await isLimitReached()).toBe(false);
  await storeMail({ due_at: ago(Hour), state: 'pending' });
  expect(await isLimitReached()).toBe(true);
  await clear();
  await storeMail({ due_at: ago(Hour), ...running() });
  expect(await isLimitReached()).toBe(true);
  await clear();
  await storeMail({ due_at: ago(9 * Minute), state: 'sent' });
  expect(await isLimitReached()).toBe(true);
  // The subscriber unsubscribed after the last mail, so the link in that mail no longer works.
  expect(await isLimitReached(ago(8 * Minute))).toBe(false);
  expect(await isLimitReached(ago(20 * Minute))).toBe(true);
  await clear();
  await storeMail({ due_at: ago(11 * Minute), state: 'sent' });
  await storeMail({ due_at: ago(23 * Hour), state: 'dead' });
  for (let count = 0; count < 5; count += 1) await storeMail({ due_at: ago(25 * Hour), state: 'sent' });
  expect(await isLimitReached()).toBe(false);
  await storeMail({ subscription_id: same, due_at: ago(12 * Hour), state: 'sent' });
  expect(await isLimitReached()).toBe(true);
});
