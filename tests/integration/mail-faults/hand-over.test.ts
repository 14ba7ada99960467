import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { applyOutcome } from '../../../shared/node/follow-up/apply-outcome.ts';
import { createFileMailer } from '../../../shared/node/mail/file-mailer.ts';
import type { OutgoingMail } from '../../../shared/node/mail/mailer.ts';
import { Second } from '../../../shared/time.ts';
import { waitFor } from '../../support/wait-for.ts';
import { makeDueMail, setUpDatabase } from './due-mail.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

setUpDatabase();

/** A promise and the function that resolves it. */
function makeGate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });

  return { opened, open };
}

test('a mail whose data is being sent is aborted once its request is marked as contacted', async () => {
  const { opened: until, open: goOn } = makeGate();
  const { sink, database, submissionId, read, tryNow } = await makeDueMail('new', [{ kind: 'hold-before', until }]);
  const running = tryNow();
  await waitFor('the mail to be offered', () => sink.countOffers() === 1);
  await applyOutcome(database, submissionId, { what: 'contacted' }, { address: null, isKnown: true });
  goOn();
  await running;

  expect(sink.received).toHaveLength(0);
  expect(await read()).toMatchObject({ state: 'pending', attempts: 0 });
});

describe('a mail whose hand-over can’t be recorded', () => {
  const mail = (changes: Partial<OutgoingMail> = {}): OutgoingMail => ({
    ...{ key: randomUUID(), to: ['sales@example.com'], subject: 'x', text: 'x\n', html: '<p>x</p>' },
    headers: {},
    ...changes,
  });

  test.each([
    ['small', mail()],
    ['large', mail({ text: `${'Line of a long message.\n'.repeat(40_000)}` })],
    ['to an address outside ASCII', mail({ to: ['größe@example.com'] })],
  ])('is not sent (%s), and the next one is', async (_what, outgoing) => {
    const { sink, mailer } = await makeDueMail('new');
    const signal = AbortSignal.timeout(10 * Second);
    const beforeEnd = () => Promise.reject(new Error('PostgreSQL is away.'));

    await expect(mailer.send(outgoing, { signal, beforeEnd })).rejects.toThrow('PostgreSQL is away.');
    expect(sink.received).toHaveLength(0);
    await mailer.send(outgoing, { signal, beforeEnd: () => Promise.resolve() });

    expect(sink.received).toHaveLength(1);
  });

  test('writes no file', async () => {
    const folder = makeTemporaryFolder();
    const mailer = createFileMailer(folder, 'site@example.com');
    const signal = AbortSignal.timeout(10 * Second);
    const beforeEnd = () => Promise.reject(new Error('PostgreSQL is away.'));

    await expect(mailer.send(mail(), { signal, beforeEnd })).rejects.toThrow('PostgreSQL is away.');
    expect(await readdir(folder)).toEqual([]);
    await mailer.send(mail(), { signal });

    expect(await readdir(folder)).toHaveLength(1);
  });

  test('in time is not sent, even if the record succeeds later', async () => {
    const { sink, mailer } = await makeDueMail('new');
    const { opened: recorded, open: record } = makeGate();
    const stop = new AbortController();
    const sending = mailer.send(mail(), {
      signal: stop.signal,
      beforeEnd: () => {
        stop.abort();

        return recorded;
      },
    });

    await expect(sending).rejects.toMatchObject({ reason: 'smtp-timed-out', isAmbiguous: false });
    record();
    await mailer.send(mail(), { signal: AbortSignal.timeout(10 * Second) });

    expect(sink.received).toHaveLength(1);
  });
});
