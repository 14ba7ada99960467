import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { runDelivery, type DeliveryServices } from '../../jobs/deliveries/run-delivery.ts';
import { makeFollowUpEffect } from '../../jobs/follow-up/send-follow-up.ts';
import { createSmtpMailer } from '../../jobs/mail/smtp-mailer.ts';
import { productionTimings } from '../../jobs/timings.ts';
import { followUpStages, planDeliveries, type FollowUpStage } from '../../shared/deliveries/delivery.ts';
import { insertSubmission } from '../../shared/node/contact/contact-submission-store.ts';
import { claimDelivery, insertDeliveries } from '../../shared/node/deliveries/delivery-store.ts';
import { releaseExpiredLeases } from '../../shared/node/deliveries/delivery-upkeep.ts';
import { createLogger } from '../../shared/node/logger.ts';
import { Hour, Second } from '../../shared/time.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { startSmtpSink, type SinkFault } from '../support/smtp-sink.ts';

let databaseUrl: string;

beforeAll(async () => {
  databaseUrl = await createMigratedDatabase();
});

const logger = createLogger({ level: 'silent', process: 'test' });

/** A due mail of one stage, the SMTP server it goes to, and what happens at each try. */
async function makeDueMail(stage: FollowUpStage, faults: readonly SinkFault[] = []) {
  const database = openDatabase(databaseUrl, onTestFinished);
  const sink = await startSmtpSink();
  sink.faults.push(...faults);
  const timings = { ...productionTimings, effect: 1.5 * Second };
  const mailer = createSmtpMailer(sink.url, 'site@example.com', timings.smtp, logger);
  onTestFinished(async () => {
    mailer.close();
    await sink.close();
  });

  const submissionId = randomUUID();
  const plan = planDeliveries({ reminderAfter: 20 * Hour, dueAfter: 24 * Hour, hasCrm: false });
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
  const effect = makeFollowUpEffect(database, mailer, {
    sales: ['sales@example.com'],
    siteName: 'Praline',
    publicUrl: 'https://www.example.com',
    timeZone: 'UTC',
    dueAfter: 24 * Hour,
    linkSecrets: ['s'.repeat(32)],
  });
  const services: DeliveryServices = {
    database,
    timings,
    logger,
    effects: { 'follow-up': effect, 'crm-export': effect, newsletter: effect },
  };
  /** One try, at once whatever the back-off says. */
  const tryNow = async () => {
    await rows().update({ retry_at: null });
    await runDelivery(services, { deliveryId });
  };

  return { database, sink, read, tryNow, effect, deliveryId };
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

  test.each([421, 450, 451, 452])('refused with %i is tried again and sent once', async (code) => {
    const { sink, read, tryNow } = await makeDueMail(stage, [{ kind: 'refuse', code }]);

    await tryNow();
    expect(await read()).toMatchObject({ state: 'pending', last_error: `smtp-${code}`, maybe_duplicate: false });
    await tryNow();

    expect(sink.received).toHaveLength(1);
    expect(await read()).toMatchObject({ state: 'sent', attempts: 2 });
  });

  test('refused for good is dead at once', async () => {
    const { sink, read, tryNow } = await makeDueMail(stage, [{ kind: 'refuse', code: 550 }]);

    await tryNow();
    await tryNow();

    expect(sink.received).toHaveLength(0);
    expect(await read()).toMatchObject({ state: 'dead', last_error: 'smtp-550', attempts: 1 });
  });

  test('whose answer is lost is repeated once under the same Message-ID, and noted', async () => {
    const { sink, read, tryNow } = await makeDueMail(stage, [{ kind: 'cut-after' }]);

    await tryNow();
    expect(await read()).toMatchObject({ state: 'pending', maybe_duplicate: true });
    await tryNow();

    expect(sink.received).toHaveLength(2);
    expect(new Set(sink.received.map(({ mail }) => mail.messageId)).size).toBe(1);
    expect(await read()).toMatchObject({ state: 'sent', maybe_duplicate: true });
  });

  test('whose answer is lost twice is dead', async () => {
    const lost = { kind: 'cut-after' } as const;
    const { sink, read, tryNow } = await makeDueMail(stage, [lost, lost]);

    await tryNow();
    await tryNow();
    await tryNow();

    expect(sink.received).toHaveLength(2);
    expect(await read()).toMatchObject({ state: 'dead', maybe_duplicate: true });
  });

  test('whose answer doesn’t come in time may have been taken', async () => {
    const { sink, read, tryNow } = await makeDueMail(stage, [{ kind: 'hang-after' }]);

    await tryNow();

    expect(sink.received).toHaveLength(1);
    expect(await read()).toMatchObject({
      state: 'pending',
      last_error: 'smtp-timed-out',
      maybe_duplicate: true,
    });
  });

  test('whose sender was killed before the note is repeated under the same Message-ID', async () => {
    const { database, sink, read, tryNow, effect, deliveryId } = await makeDueMail(stage);
    const claim = await claimDelivery(database, deliveryId, { token: randomUUID(), ms: 1 });
    if (claim.outcome !== 'claimed') throw new Error('It was not claimed.');
    await effect(claim.delivery, AbortSignal.timeout(5 * Second));
    await releaseExpiredLeases(database, 10);

    await tryNow();

    expect(sink.received).toHaveLength(2);
    expect(new Set(sink.received.map(({ mail }) => mail.messageId)).size).toBe(1);
    expect(await read()).toMatchObject({ state: 'sent' });
  });

  test('to a slow server is sent once', async () => {
    const { sink, read, tryNow } = await makeDueMail(stage, [{ kind: 'answer-late', ms: 700 }]);

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
