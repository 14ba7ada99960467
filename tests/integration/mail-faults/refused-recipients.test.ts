import { describe, expect, test } from 'vitest';
import { applyOutcome } from '../../../shared/node/follow-up/apply-outcome.ts';
import { Day } from '../../../shared/time.ts';
import { change, database, setUpDatabase } from '../delivery-store/fixture.ts';
import { makeDueMail } from './due-mail.ts';

setUpDatabase();

describe('a mail to several recipients, some of whom the server refuses,', () => {
  const sales = ['first@example.com', 'The Second <Second@Example.com>', 'third@example.com'];
  const listDeliveries = () => database('deliveries').orderByRaw('recipient nulls first');
  /** Returns the id of the delivery to a single recipient. */
  const findSeparate = async () => {
    const [, separate] = await listDeliveries();
    if (!separate) throw new Error('There is no separate delivery.');

    return separate.id;
  };

  test('is retried only for the temporarily refused ones', async () => {
    const { sink, attempt } = await makeDueMail('new', [], sales);
    sink.refusedRecipients.set('Second@example.com', 450);

    await attempt();
    const [shared, separate] = await listDeliveries();
    expect(shared).toMatchObject({ state: 'sent', recipient: null, attempts: 1 });
    expect(separate).toMatchObject({ state: 'pending', due_at: shared?.due_at, attempts: 1 });
    expect(separate?.retry_at).not.toBeNull();
    const id = await findSeparate();
    expect(await attempt(id)).toMatchObject({ state: 'pending', last_error: 'smtp-450' });
    sink.refusedRecipients.clear();

    expect(await attempt(id)).toMatchObject({ state: 'sent' });
    expect(sink.received.map(({ mail }) => mail.to?.map(({ address }) => address?.toLowerCase()))).toEqual([
      ['first@example.com', 'second@example.com', 'third@example.com'],
      ['second@example.com'],
    ]);
    // The second mail replies to the first one, so mail programs show both in one conversation.
    const [toOthers, toOne] = sink.received;
    expect(toOne?.mail.inReplyTo).toBe(toOthers?.mail.messageId);
  });

  test('is not retried for the permanently refused ones', async () => {
    const { sink, attempt } = await makeDueMail('new', [], sales);
    sink.refusedRecipients.set('third@example.com', 550);

    await attempt();

    expect(await listDeliveries()).toMatchObject([{ state: 'sent', recipient: null }]);
  });

  test('is cancelled for an address that was removed from SALES_EMAIL', async () => {
    const { sink, attempt } = await makeDueMail('new', [], sales);
    sink.refusedRecipients.set('third@example.com', 450);
    await attempt();
    const id = await findSeparate();
    await change(id, { recipient: 'former@example.com' });

    expect(await attempt(id)).toMatchObject({ state: 'cancelled', last_error: 'recipient-removed' });
  });
});

test('a notice that one salesperson snoozed reaches the others once, even if that person’s address is permanently refused', async () => {
  const { submissionId, attempt, sink } = await makeDueMail('due', [], ['first@example.com', 'second@example.com']);
  const until = new Date(Date.now() + 3 * Day);
  await applyOutcome(database, submissionId, { what: 'snooze', until, isPastPromise: true }, { address: 'second@example.com', isKnown: true });
  const run = async (recipient: string | null) => {
    const [delivery] = await database('deliveries').whereNotNull('event_id').where({ recipient });
    await change(delivery?.id ?? '', { due_at: database.fn.now() });

    return attempt(delivery?.id);
  };

  sink.refusedRecipients.set('second@example.com', 450);
  await run(null);
  sink.refusedRecipients.set('second@example.com', 550);

  expect(await run('second@example.com')).toMatchObject({ state: 'dead' });
  expect(sink.received).toHaveLength(1);
});
