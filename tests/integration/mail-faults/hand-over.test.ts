import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { applyOutcome } from '../../../shared/node/follow-up/apply-outcome.ts';
import { createFileMailer } from '../../../shared/node/mail/file-mailer.ts';
import type { OutgoingMail } from '../../../shared/node/mail/mailer.ts';
import { waitFor } from '../../support/wait-for.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { database, setUpDatabase } from '../delivery-store/fixture.ts';
import { makeDueMail } from './due-mail.ts';

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
  const { sink, submissionId, attempt } = await makeDueMail('new', [{ kind: 'hold-before', until }]);
  const running = attempt();
  await waitFor('the mail at the server', () => sink.countOffers() === 1);
  await applyOutcome(database, submissionId, { what: 'contacted' }, { address: null, isKnown: true });
  goOn();

  expect(await running).toMatchObject({ state: 'pending', attempts: 0 });
  expect(sink.received).toHaveLength(0);
});

describe('a mail whose hand-over can’t be recorded', () => {
  const { signal } = new AbortController();
  const fail = () => Promise.reject(new Error('PostgreSQL is down.'));
  const mail = (changes: Partial<OutgoingMail> = {}): OutgoingMail => ({
    ...{ key: randomUUID(), to: ['sales@example.com'], subject: 'x', text: 'x\n', html: '<p>x</p>', headers: {} },
    ...changes,
  });

  test.each([
    ['small', mail()],
    ['large', mail({ text: `${'Line of a long message.\n'.repeat(40_000)}` })],
    ['to an address outside ASCII', mail({ to: ['größe@example.com'] })],
  ])('is not sent (%s), but the next mail is', async (_what, outgoing) => {
    const { sink, mailer } = await makeDueMail('new');

    await expect(mailer.send(outgoing, { signal, beforeEnd: fail })).rejects.toThrow('PostgreSQL is down.');
    expect(sink.received).toHaveLength(0);
    await mailer.send(outgoing, { signal, beforeEnd: () => Promise.resolve() });

    expect(sink.received).toHaveLength(1);
  });

  test('is not written to a file', async () => {
    const folder = makeTemporaryFolder();
    const mailer = createFileMailer(folder, 'site@example.com');

    await expect(mailer.send(mail(), { signal, beforeEnd: fail })).rejects.toThrow('PostgreSQL is down.');
    expect(await readdir(folder)).toEqual([]);
    await mailer.send(mail(), { signal });

    expect(await readdir(folder)).toHaveLength(1);
  });

  test('in time is not sent, even if the hand-over is recorded later', async () => {
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
    await mailer.send(mail(), { signal });

    expect(sink.received).toHaveLength(1);
  });
});
