import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Logger } from '../logging/logger.ts';

/**
 * The attributes that leave the process. Instrumentations record more, such as a request's path with its query and
 * tokens, or the messages of errors, and new versions of them may record others.
 */
const EXPORTED_ATTRIBUTES: ReadonlySet<string> = new Set([
  'http.request.method',
  'http.route',
  'http.response.status_code',
  'bullmq.queue.name',
  'bullmq.queue.operation',
  'bullmq.job.id',
  'bullmq.job.attempts.made',
  'delivery.id',
  'delivery.kind',
  'delivery.stage',
  'delivery.attempts',
  'delivery.result',
  'submission.id',
]);

/** The span without what may be personal: of events and messages, which errors write, nothing is left. */
function withoutPersonalData(span: ReadableSpan): ReadableSpan {
  const attributes = Object.fromEntries(
    Object.entries(span.attributes).filter(([name]) => EXPORTED_ATTRIBUTES.has(name)),
  );
  const bare: ReadableSpan = Object.create(span) as ReadableSpan;

  return Object.assign(bare, { attributes, events: [], links: [], status: { code: span.status.code } });
}

/** Logs the first of several failures, and their end. */
function makeFailureLog(logger: Logger) {
  let isFailing = false;

  return ({ code, error }: ExportResult) => {
    const hasFailed = code !== ExportResultCode.SUCCESS;
    if (hasFailed && !isFailing) logger.warn({ err: error }, 'Traces can’t be sent; they are dropped.');
    if (!hasFailed && isFailing) logger.info('Traces are sent again.');
    isFailing = hasFailed;
  };
}

/** Lets `exporter` send what is not personal of the spans, and logs when it begins to fail and when that ends. */
export function guardExporter(exporter: SpanExporter, logger: Logger): SpanExporter {
  const logFailure = makeFailureLog(logger);

  return {
    export: (spans, onResult) => {
      exporter.export(spans.map(withoutPersonalData), (result) => {
        logFailure(result);
        onResult(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}
