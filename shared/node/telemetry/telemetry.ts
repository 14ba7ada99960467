import type { FastifyPluginCallback } from 'fastify';
import type { QueueTelemetry } from '../queues/bullmq.ts';

/** What a span says besides its times: ids, kinds and codes, never what somebody typed. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** A span under way. */
interface Span {
  readonly setAttributes: (attributes: SpanAttributes) => void;
  /** Marks it as failed. */
  readonly fail: () => void;
}

/** The traces of a process; without OTEL_EXPORTER_OTLP_ENDPOINT there is none. */
export interface Telemetry {
  /** Begins a trace with each request; registered before all other plugins. */
  readonly fastifyPlugin: FastifyPluginCallback;
  /** Given to queues and workers: a job carries the trace of whoever added it. */
  readonly ofQueues: QueueTelemetry;
  /** Runs `work` as a span of the trace under way, or of a new one. */
  readonly inSpan: <Result>(
    name: string,
    attributes: SpanAttributes,
    work: (span: Span) => Promise<Result>,
  ) => Promise<Result>;
  /** Sends what is left, unless that takes too long. */
  readonly close: () => Promise<void>;
}
