import { describe, expect, test } from 'vitest';
import { applyOutcome } from '../../../shared/node/follow-up/apply-outcome.ts';
import { Day } from '../../../shared/time.ts';
import { runJob } from '../../support/delivery-job.ts';
import { makeDueMail, setUpDatabase } from './due-mail.ts';

setUpDatabase();

describe('a mail to several recipients that is refused for some of them', () => {
  const sales = ['first@example.com', 'The Second <Second@Example.com>', 'third@example.com'];
  const listRows = ({ database, submissionId }: Awaited<ReturnType<typeof makeDueMail>>) =>
    database('deliveries').where({ submission_id: submissionId, stage: 'new' }).orderBy('recipient');
  const runRecipient = async (fixture: Awaited<ReturnType<typeof makeDueMail>>) => {
    const own = (await listRows(fixture)).find(({ recipient }) => recipient !== null);
    if (!own) throw new Error('No recipient waits.');
    await fixture.database('deliveries').where({ id: own.id }).update({ retry_at: null });
    await runJob(fixture.services, { deliveryId: own.id });

    return (await fixture.database('deliveries').where({ id: own.id }).first()) ?? own;
  };
  const listTo = ({ sink }: Awaited<ReturnType<typeof makeDueMail>>) =>
    sink.received.map(({ mail }) => mail.to?.map(({ address }) => address?.toLowerCase()));

  test('temporarily is retried for those only', async () => {
    const fixture = await makeDueMail('new', [], sales);
    fixture.sink.refusedRecipients.set('Second@example.com', 450);

    await fixture.tryNow();
    const [own, original] = (await listRows(fixture)).sort((a) => (a.recipient === null ? 1 : -1));
    expect(original).toMatchObject({ state: 'sent', recipient: null, attempts: 1 });
    expect(own).toMatchObject({ state: 'pending', due_at: original?.due_at, attempts: 1 });
    expect(own?.retry_at).not.toBeNull();
    expect(await runRecipient(fixture)).toMatchObject({ state: 'pending', last_error: 'smtp-450' });
    fixture.sink.refusedRecipients.clear();

    expect(await runRecipient(fixture)).toMatchObject({ state: 'sent' });
    expect(listTo(fixture)).toEqual([
      ['first@example.com', 'second@example.com', 'third@example.com'],
      ['second@example.com'],
    ]);
    // It replies to the shared mail, so mail programs show both in one conversation.
    const [toOthers, toOne] = fixture.sink.received;
    expect(toOne?.mail.inReplyTo).toBe(toOthers?.mail.messageId);
  });

  test('permanently is not retried for those', async () => {
    const fixture = await makeDueMail('new', [], sales);
    fixture.sink.refusedRecipients.set('third@example.com', 550);

    await fixture.tryNow();

    expect(await listRows(fixture)).toMatchObject([{ state: 'sent', recipient: null }]);
  });

  test('is cancelled for an address that was removed from SALES_EMAIL', async () => {
    const fixture = await makeDueMail('new', [], sales);
    fixture.sink.refusedRecipients.set('third@example.com', 450);
    await fixture.tryNow();
    await fixture
      .database('deliveries')
      .where({ submission_id: fixture.submissionId, recipient: 'third@example.com' })
      .update({ recipient: 'gone@example.com' });

    expect(await runRecipient(fixture)).toMatchObject({ state: 'cancelled', last_error: 'recipient-removed' });
  });
});

test('a mail to all of sales that one of them asked for reaches the others once, even if that one is refused permanently later', async () => {
  const { database, submissionId, services, sink } = await makeDueMail('due', [], ['first@example.com', 'second@example.com']);
  const until = new Date(Date.now() + 3 * Day);
  await applyOutcome(database, submissionId, { what: 'snooze', until, isPastPromise: true }, { address: 'second@example.com', isKnown: true });
  const rows = () => database('deliveries').where({ submission_id: submissionId }).whereNotNull('event_id');
  const run = async (recipient: string | null) => {
    await rows().where({ recipient }).update({ due_at: database.fn.now(), retry_at: null });
    await runJob(services, { deliveryId: (await rows().where({ recipient }).first())?.id });
  };

  for (const [recipient, status] of [[null, 450], ['second@example.com', 550]] as const) {
    sink.refusedRecipients.set('second@example.com', status);
    await run(recipient);
  }

  expect(sink.received).toHaveLength(1);
  expect(await rows().where({ recipient: 'second@example.com' }).first()).toMatchObject({ state: 'dead' });
});
