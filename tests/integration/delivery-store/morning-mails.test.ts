import { expect, test } from 'vitest';
import type { DeliveryRow } from '../../../shared/node/deliveries/delivery-table.ts';
import { countForgotten, MAX_MORNINGS, planMorningMails } from '../../../shared/node/deliveries/planned-deliveries.ts';
import { createResponsePromise } from '../../../shared/node/response-promise/response-promise.ts';
import { Hour, Minute } from '../../../shared/time.ts';
import { ago } from '../../support/ago.ts';
import { storeDelivery, storeSubmission } from '../../support/stored-requests.ts';
import { ahead, change, database, running, setUpDatabase } from './fixture.ts';

setUpDatabase();

const promise = createResponsePromise({ reminderAfter: 20 * Hour, dueAfter: 24 * Hour });
const plan = () => planMorningMails(database, { promise, timeZone: 'Europe/Vienna' });
const list = (submission_id: string) =>
  database<DeliveryRow>('deliveries').where({ submission_id, stage: 'overdue' }).orderBy('recipient', 'asc', 'first');

/** Stores a request with its due notice, which is sent unless `notice` overrides that. */
async function storeOverdue(columns: Record<string, unknown> = {}, notice: Partial<DeliveryRow> = {}) {
  const id = await storeSubmission(database, columns);
  await storeDelivery(database, id, { stage: 'due', due_at: ago(Hour), state: 'sent', sent_at: ago(Hour), ...notice });

  return id;
}

const sent = () => ({ state: 'sent', sent_at: new Date(), attempts: 2, lost_answers: 1, maybe_duplicate: true }) as const;

test('an overdue request has one mail, which is planned again for the next morning after it is sent', async () => {
  const id = await storeOverdue();
  await plan();
  await plan();
  const [first, ...others] = await list(id);
  if (!first) throw new Error('No mail is planned.');
  expect(others).toEqual([]);
  expect(first).toMatchObject({ kind: 'follow-up', state: 'pending', mornings: 0 });
  expect([first.due_at > new Date(), first.due_at < ahead(24 * Hour)]).toEqual([true, true]);

  await change(first.id, sent());
  await storeDelivery(database, id, { stage: 'overdue', recipient: 'a@b.example', last_error: 'recipient-deferred' });
  await plan();
  const [next, ...rest] = await list(id);
  expect(rest).toEqual([]);
  expect(next?.id, 'the id in the Message-ID').not.toBe(first.id);
  expect(next).toMatchObject({ state: 'pending', attempts: 0, lost_answers: 0, maybe_duplicate: false, mornings: 1 });
  expect(next?.sent_at).not.toBeNull();
});

test.each<[string, Record<string, unknown>, Partial<DeliveryRow>]>([
  ['answered', { contacted_at: new Date() }, {}],
  ['not a fit', { unfit_at: new Date() }, {}],
  ['snoozed', { snoozed_until: ahead(Minute) }, {}],
  ['erased', { anonymised_at: new Date() }, {}],
  ['not due yet', {}, { state: 'pending', due_at: ahead(Hour), sent_at: null }],
])('a request that is %s gets no mail the next morning', async (_what, columns, notice) => {
  const id = await storeOverdue(columns, notice);
  await plan();

  expect(await list(id)).toEqual([]);
});

test.each<[string, Partial<DeliveryRow>, boolean]>([
  ['was cancelled because its request was snoozed', { state: 'cancelled', swept_from: 'pending' }, true],
  ['a worker is sending', running(), false],
  ['failed permanently', { state: 'dead' }, false],
])('a mail that %s is planned again: %j', async (_what, values, isPlanned) => {
  const id = await storeOverdue();
  const mail = await storeDelivery(database, id, { stage: 'overdue', due_at: ago(Hour), ...values });
  await plan();
  const [row] = await list(id);

  expect([row?.id !== mail, row?.state === 'pending', row?.mornings]).toEqual([isPlanned, isPlanned, 0]);
});

test('a request counts as forgotten after mails on 14 mornings, unless it is settled or snoozed', async () => {
  const store = async (mornings: number, columns = {}) =>
    storeDelivery(database, await storeOverdue(columns), { stage: 'overdue', due_at: ahead(Minute), mornings });
  await store(MAX_MORNINGS - 1);
  await store(MAX_MORNINGS, { contacted_at: new Date() });
  await store(MAX_MORNINGS, { snoozed_until: ahead(Hour) });
  expect(await countForgotten(database)).toBe(0);
  await store(MAX_MORNINGS);

  expect(await countForgotten(database)).toBe(1);
});
