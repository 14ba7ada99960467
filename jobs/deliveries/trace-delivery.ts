import type { ClaimedDelivery } from '../../shared/node/deliveries/claim-delivery.ts';
import type { DeliveryResult } from '../../shared/node/monitoring/site-metrics.ts';
import type { SpanAttributes, Telemetry } from '../../shared/node/telemetry/telemetry.ts';

const describe = ({ id, kind, stage, attempts, submissionId }: ClaimedDelivery): SpanAttributes => ({
  'delivery.id': id,
  'delivery.kind': kind,
  'delivery.attempts': attempts,
  ...(stage && { 'delivery.stage': stage }),
  ...(submissionId && { 'submission.id': submissionId }),
});

/**
 * Runs an attempt at a delivery as a span, where traces are sent: of its job's trace, or of a new one where it runs
 * without a job.
 * @param attempt calls `trace` with its result
 */
export function traceDelivery<Result>(
  telemetry: Telemetry | undefined,
  delivery: ClaimedDelivery,
  attempt: (trace: (result: DeliveryResult) => void) => Promise<Result>,
): Promise<Result> {
  if (!telemetry) return attempt(() => undefined);

  return telemetry.inSpan(`deliver ${delivery.kind}`, describe(delivery), (span) =>
    attempt((result) => {
      span.setAttributes({ 'delivery.result': result });
      if (result !== 'sent' && result !== 'cancelled') span.fail();
    }),
  );
}
