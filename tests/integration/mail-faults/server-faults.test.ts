import { describe, expect, test } from 'vitest';
import { makeDueMail, setUpDatabase } from './due-mail.ts';

setUpDatabase();

describe.each(['new', 'reminder', 'due'] as const)('the mail %s', (stage) => {
  test('is sent once, with a Message-ID made from its stage and its delivery’s id', async () => {
    const { sink, read, tryNow, deliveryId } = await makeDueMail(stage);

    await tryNow();
    await tryNow();

    expect(sink.received.map(({ mail }) => mail.messageId)).toEqual([
      `<follow-up-${stage}-${deliveryId}@example.com>`,
    ]);
    expect(await read()).toMatchObject({ state: 'sent', attempts: 1, maybe_duplicate: false });
  });

  test('refused for the visitor’s text is sent at once without the text, with a link to the request’s page', async () => {
    const { sink, read, tryNow } = await makeDueMail(stage);
    sink.refusedWords.set('Sweets', 554);

    await tryNow();

    expect(await read()).toMatchObject({ state: 'sent', attempts: 1, maybe_duplicate: false });
    expect(sink.received).toHaveLength(1);
    const [{ mail, header } = {}] = sink.received;
    expect(mail?.text?.replace(/\s+/g, ' ')).toMatch(/only the page of the request shows it.*\/follow-up\//);
    expect(mail?.replyTo).toBeUndefined();
    expect(header?.('x-delivery-stage')).toBe(stage);
  });

  test('refused even without the visitor’s text is dead', async () => {
    const { sink, read, tryNow } = await makeDueMail(stage);
    sink.refusedWords.set('www.example.com', 554);

    await tryNow();
    await tryNow();

    expect(sink.countOffers()).toBe(2);
    expect(await read()).toMatchObject({ state: 'dead', last_error: 'smtp-554', attempts: 1 });
  });

  test('whose response is lost is repeated once under the same Message-ID, and marked as a possible duplicate', async () => {
    const { sink, read, tryNow } = await makeDueMail(stage, [{ kind: 'cut-after' }]);

    await tryNow();
    expect(await read()).toMatchObject({ state: 'pending', maybe_duplicate: true });
    await tryNow();

    expect(sink.received).toHaveLength(2);
    expect(new Set(sink.received.map(({ mail }) => mail.messageId)).size).toBe(1);
    expect(await read()).toMatchObject({ state: 'sent', maybe_duplicate: true });
  });

  test('to a server that drips bytes is aborted in time and sent at the next try', async () => {
    const { sink, read, tryNow } = await makeDueMail(stage, [{ kind: 'drip' }]);
    // The server drips forever, so this call ends only because the attempt is aborted.
    await tryNow();

    expect(await read()).toMatchObject({
      state: 'pending',
      last_error: 'smtp-timed-out',
      maybe_duplicate: false,
    });
    await tryNow();
    expect(sink.received).toHaveLength(1);
  });
});
