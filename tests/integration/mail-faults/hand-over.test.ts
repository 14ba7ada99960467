import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { applyOutcome } from '../../../shared/node/follow-up/apply-outcome.ts';
import type { Database } from '../../../shared/node/database/database.ts';
import { listFollowUpMails } from '../../../shared/node/deliveries/list-deliveries.ts';
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

const markContacted = ({ database, submissionId }: Awaited<ReturnType<typeof makeDueMail>>) =>
  applyOutcome(database, submissionId, { what: 'contacted' }, { address: null, isKnown: true });

const isMailUnderWay = async (database: Database, submissionId: string) =>
  (await listFollowUpMails(database, submissionId)).some(({ isUnderWay }) => isUnderWay);

describe('a mail that is no longer needed while its data is sent', () => {
  test('is aborted, so no mail is sent once the request is marked as contacted', async () => {
    const { opened: until, open: goOn } = makeGate();
    const fixture = await makeDueMail('new', [{ kind: 'hold-before', until }]);
    const { sink, database, submissionId, read, tryNow } = fixture;
    const running = tryNow();
    await waitFor('the mail to be offered', () => sink.countOffers() === 1);
    await markContacted(fixture);
    goOn();
    await running;

    expect(sink.received).toHaveLength(0);
    expect(await read()).toMatchObject({ state: 'pending', attempts: 0 });
    expect(await isMailUnderWay(database, submissionId)).toBe(false);
  });

  test('is sent if it was handed over already, and is listed as under way until then', async () => {
    const { opened: until, open: goOn } = makeGate();
    const fixture = await makeDueMail('new', [{ kind: 'hold', until }]);
    const { sink, database, submissionId, read } = fixture;
    const running = fixture.tryNow();
    await waitFor('the mail to be taken', () => sink.received.length === 1);

    await markContacted(fixture);
    expect(await isMailUnderWay(database, submissionId)).toBe(true);
    goOn();
    await running;

    expect(await read()).toMatchObject({ state: 'sent' });
    expect(await isMailUnderWay(database, submissionId)).toBe(false);
  });
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
