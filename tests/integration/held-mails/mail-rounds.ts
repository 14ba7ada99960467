import { onTestFinished } from 'vitest';
import { createHeldMailHandler } from '../../../jobs/held-requests/send-held-mail.ts';
import { mapKinds } from '../../../shared/deliveries/delivery.ts';
import { productionTimings } from '../../../shared/node/config/timings.ts';
import { planHeldMail } from '../../../shared/node/deliveries/planned-deliveries.ts';
import { readLinkToken } from '../../../shared/node/mail/signed-action-link.ts';
import { createMigratedDatabase, openDatabase } from '../../support/database.ts';
import { runDueOf, unobserved } from '../../support/delivery-job.ts';
import { openMailer } from '../../support/open-mailer.ts';
import { startSmtpSink, type SinkFault } from '../../support/smtp-sink.ts';
import { storeSubmission } from '../../support/stored-requests.ts';

export const SECRET = 's'.repeat(32);
export const settings = {
  siteName: 'Praline',
  publicUrl: 'https://www.example.com',
  linkSecrets: [SECRET],
  sales: ['sales@example.com', 'owner@example.com'],
  timeZone: 'UTC',
};

/** Sets up a database, a mail server and a worker that mails held requests. */
export async function setUp(faults: readonly SinkFault[] = []) {
  const database = openDatabase(await createMigratedDatabase(), onTestFinished);
  const sink = await startSmtpSink();
  sink.faults.push(...faults);
  const mailer = openMailer(sink.url);
  /** Plans a mail and sends it if it is due, as a worker regularly does. */
  const round = async () => {
    const handler = createHeldMailHandler(database, mailer, settings);
    const services = { ...unobserved, database, handlers: mapKinds(() => handler), timings: productionTimings };
    await planHeldMail(database, productionTimings.heldMailInterval);
    await runDueOf(services, 'held-requests');
  };
  const hold = (company: string, changes = {}) =>
    storeSubmission(database, {
      company,
      quarantined_at: database.fn.now(),
      quarantine_reason: 'too-fast',
      ...changes,
    });
  /** Lets time pass by moving the mails' times into the past. */
  const letPass = (time: string) =>
    database('deliveries').update({
      retry_at: database.raw('retry_at - ?::interval', [time]),
      sent_at: database.raw('sent_at - ?::interval', [time]),
    });
  const listSubjects = () => sink.received.map(({ mail }) => mail.subject);

  return { database, sink, round, hold, letPass, listSubjects };
}

/** The subject of a mail that lists a single request. */
export const subjectOfOne = '[Praline] 1 requests are held as possible spam';

/** Lists the ids of the requests that a mail links to, in order. */
export const listLinked = (text = '') =>
  [...text.matchAll(/\/follow-up\/held\/([\w.-]+)/g)].map(([, token = '']) => readLinkToken('held', token, [SECRET]));
