import { beforeAll, onTestFinished } from 'vitest';
import type { DeliveryServices } from '../../../jobs/deliveries/delivery-handler.ts';
import { createFollowUpHandler } from '../../../jobs/follow-up/send-follow-up.ts';
import { mapKinds } from '../../../shared/deliveries/delivery.ts';
import { createResponsePromise } from '../../../shared/node/response-promise/response-promise.ts';
import { productionTimings } from '../../../shared/node/config/timings.ts';
import type { FollowUpStage } from '../../../shared/deliveries/delivery.ts';
import { Hour, Second } from '../../../shared/time.ts';
import { createMigratedDatabase, openDatabase } from '../../support/database.ts';
import { runJob, unobserved } from '../../support/delivery-job.ts';
import { openMailer } from '../../support/open-mailer.ts';
import { startSmtpSink, type SinkFault } from '../../support/smtp-sink.ts';
import { storePlannedRequest } from '../../support/stored-requests.ts';

let databaseUrl: string;

/** Sets up a database that a file's tests share. */
export function setUpDatabase(): void {
  beforeAll(async () => {
    databaseUrl = await createMigratedDatabase();
  });
}

/** A due mail of one stage and the SMTP server it goes to. Each try meets the next of the faults. */
export async function makeDueMail(
  stage: FollowUpStage,
  faults: readonly SinkFault[] = [],
  sales: readonly string[] = ['sales@example.com'],
) {
  const database = openDatabase(databaseUrl, onTestFinished);
  const sink = await startSmtpSink();
  sink.faults.push(...faults);
  const timings = { ...productionTimings, attempt: 1.5 * Second };
  const mailer = openMailer(sink.url);

  const { submissionId } = await storePlannedRequest(database);
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
    bookingUrl: undefined,
    publicUrl: 'https://www.example.com',
    timeZone: 'UTC',
    promise: createResponsePromise({ reminderAfter: 20 * Hour, dueAfter: 24 * Hour }),
    linkSecrets: ['s'.repeat(32)],
  });
  const services: DeliveryServices = {
    ...unobserved,
    database,
    timings,
    handlers: mapKinds(() => handler),
  };
  /** Tries the delivery once, without waiting for its back-off. */
  const tryNow = async () => {
    await rows().update({ retry_at: null });
    await runJob(services, { deliveryId });
  };

  return { database, sink, mailer, services, read, tryNow, deliveryId, submissionId };
}
