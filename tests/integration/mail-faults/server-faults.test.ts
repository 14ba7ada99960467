import { describe, expect, test } from 'vitest';
import { setUpDatabase } from '../delivery-store/fixture.ts';
import { makeDueMail } from './due-mail.ts';

setUpDatabase();

describe('a mail to sales', () => {
  test.each(['new', 'reminder', 'due'] as const)('is sent once, and its Message-ID contains the stage %s and the delivery’s id', async (stage) => {
    const { sink, attempt, deliveryId } = await makeDueMail(stage);

    await attempt();

    expect(await attempt()).toMatchObject({ state: 'sent', attempts: 1, maybe_duplicate: false });
    expect(sink.received.map(({ mail }) => mail.messageId)).toEqual([`<follow-up-${stage}-${deliveryId}@example.com>`]);
  });

  test('is resent immediately without the visitor’s text if the server refuses that text', async () => {
    const { sink, attempt } = await makeDueMail('reminder');
    sink.refusedWords.set('Sweets', 554);

    expect(await attempt()).toMatchObject({ state: 'sent', attempts: 1, maybe_duplicate: false });
    expect(sink.received).toHaveLength(1);
    const [{ mail, header } = {}] = sink.received;
    expect(mail?.text?.replace(/\s+/g, ' ')).toMatch(/Read it on the page of the request\..*\/follow-up\//);
    expect(mail?.replyTo).toBeUndefined();
    expect(header?.('x-delivery-stage')).toBe('reminder');
  });

  test('is dead if it is refused even without the visitor’s text', async () => {
    const { sink, attempt } = await makeDueMail('new');
    sink.refusedWords.set('www.example.com', 554);

    await attempt();

    expect(await attempt()).toMatchObject({ state: 'dead', last_error: 'smtp-554', attempts: 1 });
    expect(sink.countOffers()).toBe(2);
  });

  test('is sent again under the same Message-ID and marked as a possible duplicate if the response is lost', async () => {
    const { sink, attempt } = await makeDueMail('new', [{ kind: 'cut-after' }]);

    expect(await attempt()).toMatchObject({ state: 'pending', maybe_duplicate: true });
    expect(await attempt()).toMatchObject({ state: 'sent', maybe_duplicate: true });
    expect(sink.received).toHaveLength(2);
    expect(new Set(sink.received.map(({ mail }) => mail.messageId)).size).toBe(1);
  });

  test('to a server that responds one byte at a time is aborted at the time limit and sent by the next attempt', async () => {
    const { sink, attempt } = await makeDueMail('new', [{ kind: 'drip' }]);

    expect(await attempt()).toMatchObject({ state: 'pending', last_error: 'smtp-timed-out', maybe_duplicate: false });
    await attempt();
    expect(sink.received).toHaveLength(1);
  });
});
