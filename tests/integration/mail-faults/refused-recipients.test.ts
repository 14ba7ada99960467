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

describe('a mail to all of sales that one of them asked for, and that is temporarily refused for one', () => {
  const sales = ['first@example.com', 'second@example.com'];

  /** A request put off past the promised time. Its mail was sent, but temporarily refused for the second address. */
  async function makeDeferred() {
    const fixture = await makeDueMail('due', [], sales);
    const { database, submissionId, services, sink } = fixture;
    const until = new Date(Date.now() + 3 * Day);
    await applyOutcome(database, submissionId, { what: 'snooze', until, isPastPromise: true }, { address: 'second@example.com', isKnown: true });
    const rows = () => database('deliveries').where({ submission_id: submissionId }).whereNotNull('event_id');
    sink.refusedRecipients.set('second@example.com', 450);
    const run = async (recipient: string | null) => {
      await rows().where({ recipient }).update({ due_at: database.fn.now(), retry_at: null });
      await runJob(services, { deliveryId: (await rows().where({ recipient }).first())?.id });
    };
    await run(null);

    return { ...fixture, eventRows: rows, run };
  }

  test('reaches the others once, even if the server later refuses that one permanently', async () => {
    const { sink, run, eventRows } = await makeDeferred();
    sink.refusedRecipients.set('second@example.com', 550);
    await run('second@example.com');

    expect(sink.received).toHaveLength(1);
    expect(await eventRows().where({ recipient: 'second@example.com' }).first()).toMatchObject({ state: 'dead' });
  });
});
