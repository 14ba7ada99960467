import { createFollowUpHandler } from '../../../jobs/follow-up/send-follow-up.ts';
import type { FollowUpStage } from '../../../shared/deliveries/delivery.ts';
import { createResponsePromise } from '../../../shared/node/response-promise/response-promise.ts';
import { Hour, Second } from '../../../shared/time.ts';
import { runJob } from '../../support/delivery-job.ts';
import { openMailer } from '../../support/open-mailer.ts';
import { startSmtpSink, type SinkFault } from '../../support/smtp-sink.ts';
import { storeDelivery, storeSubmission } from '../../support/stored-requests.ts';
import { setUp } from '../delivery-runner/worker-services.ts';
import { change, database, read } from '../delivery-store/fixture.ts';

/** Makes a due mail for a stage, and the SMTP server it is sent to. Each attempt hits the next fault. */
export async function makeDueMail(
  stage: FollowUpStage,
  faults: readonly SinkFault[] = [],
  sales: readonly string[] = ['sales@example.com'],
) {
  const sink = await startSmtpSink();
  sink.faults.push(...faults);
  const mailer = openMailer(sink.url);
  const submissionId = await storeSubmission(database);
  const deliveryId = await storeDelivery(database, submissionId, { stage });
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
  const { services } = setUp({ handler, timings: { attempt: 1.5 * Second } });
  /** Makes one attempt, without waiting for the back-off, and returns the delivery. */
  const attempt = async (id = deliveryId) => {
    await change(id, { retry_at: null });
    await runJob(services, { deliveryId: id });

    return read(id);
  };

  return { sink, mailer, submissionId, deliveryId, attempt };
}
