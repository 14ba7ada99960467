import { onTestFinished } from 'vitest';
import { makeHeldMail } from '../../../jobs/held-requests/send-held-mail.ts';
import { productionTimings, type Timings } from '../../../shared/node/config/timings.ts';
import { createLogger } from '../../../shared/node/logging/logger.ts';
import { readLinkToken } from '../../../shared/node/mail/signed-action-link.ts';
import { createSmtpMailer } from '../../../shared/node/mail/smtp-mailer.ts';
import { Second } from '../../../shared/time.ts';
import { createMigratedDatabase, openDatabase } from '../../support/database.ts';
import { startSmtpSink, type SinkFault } from '../../support/smtp-sink.ts';
import { storeSubmission } from '../../support/stored-requests.ts';

export const logger = createLogger({ level: 'silent', process: 'test' });
export const SECRET = 's'.repeat(32);
export const settings = {
  siteName: 'Praline',
  publicUrl: 'https://www.example.com',
  linkSecrets: [SECRET],
  sales: ['sales@example.com', 'owner@example.com'],
  timeZone: 'UTC',
};

/** A worker that mails what is held, with a database and a mail server of its own, for one test. */
export async function setUp(faults: readonly SinkFault[] = []) {
  const databaseUrl = await createMigratedDatabase();
  const database = openDatabase(databaseUrl, onTestFinished);
  const sink = await startSmtpSink();
  sink.faults.push(...faults);
  const timings: Timings = {
    ...productionTimings,
    // Short only where it is awaited: a busy machine must not cut off a mail.
    attempt: faults.some(({ kind }) => kind === 'hang-before') ? 1 * Second : productionTimings.attempt,
  };
  const mailer = createSmtpMailer(sink.url, 'site@example.com', timings.smtp, logger);
  onTestFinished(async () => {
    mailer.close();
    await sink.close();
  });
  const services = { database, mailer, timings, logger };
  /** What one worker does at each round. */
  const round = () => makeHeldMail(services, settings)();
  const hold = (company: string, changes = {}) =>
    storeSubmission(database, {
      company,
      quarantined_at: database.fn.now(),
      quarantine_reason: 'too-fast',
      ...changes,
    });
  /** As if so much time had passed since whatever the mails wait for. */
  const letPass = (time: string) =>
    database('held_mails').update({
      lease_until: database.raw('lease_until - ?::interval', [time]),
      sent_at: database.raw('sent_at - ?::interval', [time]),
    });
  const listSubjects = () => sink.received.map(({ mail }) => mail.subject);

  return { databaseUrl, database, sink, services, round, hold, letPass, listSubjects };
}

/** The connection to PostgreSQL is lost after the hand-over: what is left is what a dead worker leaves. */
export function makeFailing(services: Awaited<ReturnType<typeof setUp>>['services']) {
  let writes = 0;

  return {
    ...services,
    database: new Proxy(services.database, {
      apply: (target, self, [table]: [string]) => {
        if (table === 'held_mails') writes += 1;
        if (writes > 1) throw new Error('connection lost');

        return Reflect.apply(target, self, [table]) as unknown;
      },
    }),
  };
}

/** The subject of a mail that lists one request. */
export const one = '[Praline] 1 requests are held as possible spam';

/** The requests that a mail links to, in their order. */
export const listLinked = (text = '') =>
  [...text.matchAll(/\/follow-up\/held\/([\w.-]+)/g)].map(([, token = '']) => readLinkToken('held', token, [SECRET]));
