import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { insertEvent, type SubmissionEvent } from '../../../shared/node/contact/submission-events.ts';
import { claimDelivery } from '../../../shared/node/deliveries/claim-delivery.ts';
import { holdDeliveries, releaseDeliveries } from '../../../shared/node/deliveries/delivery-hold.ts';
import type { DeliveryRow } from '../../../shared/node/deliveries/delivery-table.ts';
import { countDeliveries, readDeliveryStates } from '../../../shared/node/deliveries/list-deliveries.ts';
import { readOldestOverdueMs, sweepUnwanted } from '../../../shared/node/deliveries/sweep-queries.ts';
import { eraseSubmissions } from '../../../shared/node/erasure/erase-submissions.ts';
import { applyOutcome, undoOutcome } from '../../../shared/node/follow-up/apply-outcome.ts';
import { Hour, Minute } from '../../../shared/time.ts';
import { ago } from '../../support/ago.ts';
import { storeDelivery, storeSubmission } from '../../support/stored-requests.ts';
import { ahead, change, database, lease, read, running, setUpDatabase } from './fixture.ts';

setUpDatabase();

const reader = { address: null, isKnown: true };
const readStates = async (...ids: string[]) => {
  const states = await readDeliveryStates(database, ids);

  return ids.map((id) => states.get(id));
};

describe('whether a delivery is wanted', () => {
  test.each<[string, Partial<DeliveryRow>, Record<string, unknown>, boolean]>([
    ['a mail about an open request', {}, {}, true],
    ['a mail about an answered request', {}, { contacted_at: ago(Hour) }, false],
    ['an acknowledgment for a request that is not a fit', { kind: 'acknowledgment', stage: null }, { unfit_at: ago(Hour) }, false],
    ['an announcement of a request in quarantine', { kind: 'chat', stage: null }, { quarantined_at: ago(Hour) }, false],
    ['an export of an answered request', { kind: 'crm-export', stage: null }, { contacted_at: ago(Hour) }, true],
    ['an export of an erased request', { kind: 'crm-export', stage: null }, { anonymised_at: ago(Hour) }, false],
    ['the first mail about a snoozed request', {}, { snoozed_until: ahead(Hour) }, true],
    ['a reminder before the end of the snooze', { stage: 'reminder' }, { snoozed_until: ahead(Hour) }, false],
    ['a reminder after the end of the snooze', { stage: 'reminder' }, { snoozed_until: ago(Hour) }, true],
    ['an overdue mail before the end of the snooze', { stage: 'overdue' }, { snoozed_until: ahead(Hour) }, false],
    ['a due notice before the end of the snooze', { stage: 'due' }, { snoozed_until: ahead(Hour) }, true],
    ['a due notice for a request that is snoozed past the promised time', { stage: 'due' }, { snoozed_until: ahead(Hour), snoozed_past_promise: true }, false],
  ])('depends on its request: %s', async (_what, values, columns, isWanted) => {
    const id = await storeDelivery(database, await storeSubmission(database, columns), { due_at: ago(Minute), ...values });

    expect(await countDeliveries(database, {})).toBe(isWanted ? 1 : 0);
    expect((await readOldestOverdueMs(database)) > 0).toBe(isWanted);
    expect((await claimDelivery(database, id, lease())) !== undefined).toBe(isWanted);
  });

  test.each<[string, Partial<DeliveryRow>, SubmissionEvent['what'], boolean, boolean]>([
    ['the mail about the last assignment', { stage: 'new' }, 'snooze', false, true],
    ['the mail about an earlier assignment', { stage: 'new' }, 'assign', false, false],
    ['the mail about an undone assignment', { stage: 'new' }, 'snooze', true, false],
    ['the mail about an earlier outcome', { kind: 'outcome', stage: null }, 'assign', false, true],
    ['the mail about an undone outcome', { kind: 'outcome', stage: null }, 'snooze', true, false],
  ])('depends on its event: %s', async (_what, values, next, isUndone, isWanted) => {
    const submissionId = await storeSubmission(database);
    const [eventId, later] = [randomUUID(), randomUUID()];
    const event = { submissionId, by: null, details: {} };
    await database.transaction(async (transaction) => {
      await insertEvent(transaction, { ...event, id: eventId, what: 'assign' });
      await insertEvent(transaction, { ...event, id: later, what: next });
    });
    if (isUndone) await database('submission_events').where({ id: eventId }).update({ undone_at: new Date() });
    const id = await storeDelivery(database, submissionId, { event_id: eventId, ...values });

    expect((await claimDelivery(database, id, lease())) !== undefined).toBe(isWanted);
  });
});

describe('an outcome that sales records', () => {
  /** Stores an answered request with a delivery in every relevant state. Returns their ids by name. */
  async function settle() {
    const submission = await storeSubmission(database);
    const add = (values: Partial<DeliveryRow>) => storeDelivery(database, submission, values);
    const mails = {
      sent: await add({ state: 'sent' }),
      dead: await add({ stage: 'reminder', state: 'dead', last_error: 'smtp-550' }),
      due: await add({ stage: 'due', due_at: ahead(3 * Hour), last_error: 'smtp-451' }),
      acknowledgment: await add({ kind: 'acknowledgment', stage: null, due_at: ago(Hour) }),
      leased: await add({ kind: 'chat', stage: null, ...running() }),
      exported: await add({ kind: 'crm-export', stage: null }),
    };
    await applyOutcome(database, submission, { what: 'contacted' }, reader);

    return { submission, ...mails };
  }

  test('cancels the deliveries that are no longer wanted', async () => {
    const { sent, dead, due, acknowledgment, leased, exported } = await settle();

    expect(await readStates(dead, due, acknowledgment)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(await readStates(sent, leased, exported)).toEqual(['sent', 'leased', 'pending']);
  });

  test('restores each delivery’s earlier state when it is undone, even after a sweep', async () => {
    const { submission, ...ids } = await settle();
    await sweepUnwanted(database);

    const scheduled = await undoOutcome(database, submission, undefined, reader);

    expect(scheduled.map(({ id }) => id).sort()).toEqual([ids.due, ids.acknowledgment, ids.exported].sort());
    expect(await readStates(ids.dead, ids.due, ids.acknowledgment)).toEqual(['dead', 'pending', 'pending']);
    expect(await readStates(ids.sent, ids.leased, ids.exported)).toEqual(['sent', 'leased', 'pending']);
    expect(await read(ids.due)).toMatchObject({ last_error: 'smtp-451', swept_from: null });
  });

  test('can be undone after a restore, which marks mails as possible duplicates and leaves acknowledgments cancelled', async () => {
    const { submission, dead, due, acknowledgment } = await settle();
    await change(due, { due_at: ago(Hour) });
    await sweepUnwanted(database);
    await holdDeliveries(database, ago(Minute));
    await releaseDeliveries(database);

    await undoOutcome(database, submission, undefined, reader);

    expect(await read(due)).toMatchObject({ state: 'pending', maybe_duplicate: true });
    expect(await readStates(dead, acknowledgment)).toEqual(['dead', 'cancelled']);
  });

  test('can’t be undone once the request is erased', async () => {
    const { submission, dead, due } = await settle();
    await sweepUnwanted(database);
    await eraseSubmissions(database, [submission]);

    expect(await undoOutcome(database, submission, undefined, reader)).toEqual([]);
    expect(await readStates(dead, due)).toEqual(['cancelled', 'cancelled']);
  });
});
