import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { DeliveryServices } from '../../jobs/deliveries/delivery-handler.ts';
import { processDelivery } from '../../jobs/deliveries/process-delivery.ts';
import { createFollowUpHandler } from '../../jobs/follow-up/send-follow-up.ts';
import { createResponsePromise } from '../../shared/node/response-promise/response-promise.ts';
import { createFileMailer } from '../../shared/node/mail/file-mailer.ts';
import type { OutgoingMail } from '../../shared/node/mail/mailer.ts';
import { createSmtpMailer } from '../../shared/node/mail/smtp-mailer.ts';
import { productionTimings } from '../../shared/node/config/timings.ts';
import { followUpStages, planDeliveries, type FollowUpStage } from '../../shared/deliveries/delivery.ts';
import { insertSubmission } from '../../shared/node/contact/contact-submission-store.ts';
import { applyOutcome } from '../../shared/node/contact/settle-submission.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { claimDelivery } from '../../shared/node/deliveries/claim-delivery.ts';
import { insertDeliveries } from '../../shared/node/deliveries/delivery-store.ts';
import { listFollowUpMails } from '../../shared/node/deliveries/list-deliveries.ts';
import { releaseExpiredLeases } from '../../shared/node/deliveries/sweep-queries.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { Hour, Second } from '../../shared/time.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { startSmtpSink, type SinkFault } from '../support/smtp-sink.ts';
import { waitFor } from '../support/wait-for.ts';

let databaseUrl: string;

beforeAll(async () => {
  databaseUrl = await createMigratedDatabase();
});

const logger = createLogger({ level: 'silent', process: 'test' });

/** A due mail of one stage, the SMTP server it goes to, and what happens at each try. */
async function makeDueMail(
  stage: FollowUpStage,
  faults: readonly SinkFault[] = [],
  sales: readonly string[] = ['sales@example.com'],
) {
  const database = openDatabase(databaseUrl, onTestFinished);
  const sink = await startSmtpSink();
  sink.faults.push(...faults);
  const timings = { ...productionTimings, attempt: 1.5 * Second };
  const mailer = createSmtpMailer(sink.url, 'site@example.com', timings.smtp, logger);
  onTestFinished(async () => {
    mailer.close();
    await sink.close();
  });

  const submissionId = randomUUID();
  const plan = planDeliveries({ reminderAfter: 20 * Hour, dueAfter: 24 * Hour, acknowledges: false, hasChat: false });
  await database.transaction(async (transaction) => {
    await insertSubmission(transaction, {
      id: submissionId,
      name: 'Ada',
      email: 'ada@example.org',
      company: 'Sweets',
      phone: null,
      industry: null,
      message: null,
      submittedAt: null,
      bodyHash: 'x',
      source: null,
      visitedPaths: null,
    });
    await insertDeliveries(transaction, { submissionId }, plan);
  });
  const rows = () => database('deliveries').where({ submission_id: submissionId, stage });
  await rows().update({ due_at: database.fn.now() });
  const read = async () => {
    const row = await rows().first();
    if (!row) throw new Error('There is no delivery.');

    return row;
  };
  const { id: deliveryId } = await read();
  const handler = createFollowUpHandler(database, mailer, {
    sales,
    assignment: 'all',
    siteName: 'Praline',
    publicUrl: 'https://www.example.com',
    timeZone: 'UTC',
    promise: createResponsePromise({ reminderAfter: 20 * Hour, dueAfter: 24 * Hour }),
    linkSecrets: ['s'.repeat(32)],
  });
  const services: DeliveryServices = {
    database,
    timings,
    logger,
    handlers: { 'follow-up': handler, 'crm-export': handler, newsletter: handler, acknowledgment: handler, chat: handler },
  };
  /** One try, at once whatever the back-off says. */
  const tryNow = async () => {
    await rows().update({ retry_at: null });
    await processDelivery(services, { deliveryId });
  };

  return { database, sink, mailer, services, rows, read, tryNow, handler, deliveryId, submissionId };
}

describe.each(followUpStages)('the mail %s', (stage) => {
  test('is sent once, under its delivery’s Message-ID', async () => {
    const { sink, read, tryNow, deliveryId } = await makeDueMail(stage);

    await tryNow();
    await tryNow();

    expect(sink.received.map(({ mail }) => mail.messageId)).toEqual([
      `<follow-up-${stage}-${deliveryId}@example.com>`,
    ]);
    expect(await read()).toMatchObject({ state: 'sent', attempts: 1, maybe_duplicate: false });
  });

  test.each([421, 450, 451, 452])('refused with %i is retried and sent once', async (code) => {
    const { sink, read, tryNow } = await makeDueMail(stage, [{ kind: 'refuse', code }]);

    await tryNow();
    expect(await read()).toMatchObject({ state: 'pending', last_error: `smtp-${code}`, maybe_duplicate: false });
    await tryNow();

    expect(sink.received).toHaveLength(1);
    expect(await read()).toMatchObject({ state: 'sent', attempts: 2 });
  });

  test('refused permanently is dead at once', async () => {
    const { sink, read, tryNow } = await makeDueMail(stage, [{ kind: 'refuse', code: 550 }]);

    await tryNow();
    await tryNow();

    expect(sink.received).toHaveLength(0);
    expect(await read()).toMatchObject({ state: 'dead', last_error: 'smtp-550', attempts: 1 });
  });

  test('whose response is lost is repeated once under the same Message-ID, and recorded', async () => {
    const { sink, read, tryNow } = await makeDueMail(stage, [{ kind: 'cut-after' }]);

    await tryNow();
    expect(await read()).toMatchObject({ state: 'pending', maybe_duplicate: true });
    await tryNow();

    expect(sink.received).toHaveLength(2);
    expect(new Set(sink.received.map(({ mail }) => mail.messageId)).size).toBe(1);
    expect(await read()).toMatchObject({ state: 'sent', maybe_duplicate: true });
  });

  test('whose response is lost twice is dead', async () => {
    const lost = { kind: 'cut-after' } as const;
    const { sink, read, tryNow } = await makeDueMail(stage, [lost, lost]);

    await tryNow();
    await tryNow();
    await tryNow();

    expect(sink.received).toHaveLength(2);
    expect(await read()).toMatchObject({ state: 'dead', maybe_duplicate: true });
  });

  test('whose response doesn’t come in time may have been accepted', async () => {
    const { sink, read, tryNow } = await makeDueMail(stage, [{ kind: 'hang-after' }]);

    await tryNow();

    expect(sink.received).toHaveLength(1);
    expect(await read()).toMatchObject({
      state: 'pending',
      last_error: 'smtp-timed-out',
      maybe_duplicate: true,
    });
  });

  test('whose sender was killed before it recorded the mail is repeated under the same Message-ID', async () => {
    const { database, sink, read, tryNow, handler, deliveryId } = await makeDueMail(stage);
    const claimed = await claimDelivery(database, deliveryId, { token: randomUUID(), ms: 1 });
    if (!claimed) throw new Error('It was not claimed.');
    await handler(claimed, AbortSignal.timeout(5 * Second));
    await releaseExpiredLeases(database, { maxExpiries: 10, maxLostResponses: 2 });

    await tryNow();

    expect(sink.received).toHaveLength(2);
    expect(new Set(sink.received.map(({ mail }) => mail.messageId)).size).toBe(1);
    expect(await read()).toMatchObject({ state: 'sent' });
  });

  test('to a slow server is sent once', async () => {
    const { sink, read, tryNow } = await makeDueMail(stage, [{ kind: 'respond-late', ms: 700 }]);

    await tryNow();

    expect(sink.received).toHaveLength(1);
    expect(await read()).toMatchObject({ state: 'sent', attempts: 1 });
  });

  test('to a server that drips bytes is cut in time and sent at the next try', async () => {
    const { sink, read, tryNow } = await makeDueMail(stage, [{ kind: 'drip' }]);
    // It drips for ever: only a cut lets this go on.
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

/** A promise, and what resolves it. */
function makeGate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });

  return { opened, open };
}

/** A request that sales answers while its first mail waits for the server to ask for it. */
async function answerInBetween(act: (fixture: Awaited<ReturnType<typeof makeDueMail>>) => Promise<unknown>) {
  const { opened: until, open: goOn } = makeGate();
  const fixture = await makeDueMail('new', [{ kind: 'hold-before', until }]);
  const running = fixture.tryNow();
  await waitFor('the mail to be offered', () => fixture.sink.countOffers() === 1);
  await act(fixture);
  goOn();
  await running;

  return fixture;
}

const markContacted = ({ database, submissionId }: Awaited<ReturnType<typeof makeDueMail>>) =>
  applyOutcome(database, submissionId, { what: 'contacted' }, null);

const isMailUnderWay = async (database: Database, submissionId: string) =>
  (await listFollowUpMails(database, submissionId)).some(({ isUnderWay }) => isUnderWay);

describe('a mail that is no longer needed while its data is sent', () => {
  test('is aborted: none is sent once the request is marked as contacted', async () => {
    const { sink, read, database, submissionId } = await answerInBetween(markContacted);

    expect(sink.received).toHaveLength(0);
    expect(await read()).toMatchObject({ state: 'cancelled', last_error: 'contacted' });
    expect(await isMailUnderWay(database, submissionId)).toBe(false);
  });

  test.each([
    ['contacted', { contacted_at: new Date() }],
    ['unfit', { unfit_at: new Date() }],
    ['erased', { anonymised_at: new Date() }],
  ])('is aborted for a request that another version records as %s', async (reason, change) => {
    const { sink, read } = await answerInBetween(({ database, submissionId }) =>
      database('contact_submissions').where({ id: submissionId }).update(change),
    );

    expect(sink.received).toHaveLength(0);
    expect(await read()).toMatchObject({ state: 'cancelled', last_error: reason });
  });

  test('is sent once it was handed over, and known to be under way', async () => {
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

  test('is aborted when another worker has its lease, and left to that one', async () => {
    const { sink, read } = await answerInBetween(({ rows }) =>
      rows().update({ lease_token: randomUUID() }),
    );

    expect(sink.received).toHaveLength(0);
    expect(await read()).toMatchObject({ state: 'leased' });
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
  ])('reaches nobody (%s), and the next one goes out', async (_what, outgoing) => {
    const { sink, mailer } = await makeDueMail('new');
    const signal = AbortSignal.timeout(10 * Second);
    const beforeEnd = () => Promise.reject(new Error('PostgreSQL is away.'));

    await expect(mailer.send(outgoing, { signal, beforeEnd })).rejects.toThrow('PostgreSQL is away.');
    expect(sink.received).toHaveLength(0);
    await mailer.send(outgoing, { signal, beforeEnd: () => Promise.resolve() });

    expect(sink.received).toHaveLength(1);
  });

  test('writes no file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'test-mails-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const mailer = createFileMailer(folder, 'site@example.com');
    const signal = AbortSignal.timeout(10 * Second);
    const beforeEnd = () => Promise.reject(new Error('PostgreSQL is away.'));

    await expect(mailer.send(mail(), { signal, beforeEnd })).rejects.toThrow('PostgreSQL is away.');
    expect(await readdir(folder)).toEqual([]);
    await mailer.send(mail(), { signal });

    expect(await readdir(folder)).toHaveLength(1);
  });

  test('in time reaches nobody, whatever the record becomes later', async () => {
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

describe('a mail to several that is refused for some of them', () => {
  const sales = ['first@example.com', 'The Second <Second@Example.com>', 'third@example.com'];
  const listRows = ({ database, submissionId }: Awaited<ReturnType<typeof makeDueMail>>) =>
    database('deliveries').where({ submission_id: submissionId, stage: 'new' }).orderBy('recipient');
  const runRecipient = async (fixture: Awaited<ReturnType<typeof makeDueMail>>) => {
    const own = (await listRows(fixture)).find(({ recipient }) => recipient !== null);
    if (!own) throw new Error('No recipient waits.');
    await fixture.database('deliveries').where({ id: own.id }).update({ retry_at: null });
    await processDelivery(fixture.services, { deliveryId: own.id });

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
  });

  test('permanently is not retried for those', async () => {
    const fixture = await makeDueMail('new', [], sales);
    fixture.sink.refusedRecipients.set('third@example.com', 550);

    await fixture.tryNow();

    expect(await listRows(fixture)).toMatchObject([{ state: 'sent', recipient: null }]);
  });

  test('is cancelled for an address that is no longer one of sales', async () => {
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
