import { FastifyOtelInstrumentation } from '@fastify/otel';
import { context, propagation, SpanKind, SpanStatusCode, trace, type TextMapPropagator } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  SamplingDecision,
  type Sampler,
} from '@opentelemetry/sdk-trace-base';
import { BullMQOtel } from 'bullmq-otel';
import fastifyPlugin from 'fastify-plugin';
import { apiPaths } from '../../paths.ts';
import type { Logger } from '../logging/logger.ts';
import { guardExporter } from './exported-spans.ts';
import type { Telemetry } from './telemetry.ts';

/*
 * The only file that loads OpenTelemetry. Processes import it from dist/telemetry, where the build puts it together
 * with its packages; of ours it may import nothing that has a state of its own.
 */

/** Orchestrators ask every few seconds. */
const UNTRACED_PATHS: readonly string[] = [apiPaths.live, apiPaths.ready];

/** Milliseconds a collector has for a batch; tried again within it. */
const EXPORT_TIMEOUT = 5_000;

/** Milliseconds that the end of a process waits for the last batch. */
const CLOSE_TIMEOUT = 2_000;

interface TelemetryOptions {
  readonly service: 'web' | 'worker';
  /** The host of PUBLIC_URL, by which a collector tells sites apart. */
  readonly siteHost: string;
  /** The collector's address, without the path of traces. */
  readonly endpoint: string;
  readonly logger: Logger;
}

/**
 * A trace begins with a request, a job or a delivery. What BullMQ does by itself again and again, such as looking
 * for jobs, is internal and begins none.
 */
const rootSampler: Sampler = {
  shouldSample: (_context, _traceId, _name, kind) => ({
    decision: kind === SpanKind.INTERNAL ? SamplingDecision.NOT_RECORD : SamplingDecision.RECORD_AND_SAMPLED,
  }),
  toString: () => 'RootSampler',
};

/**
 * Jobs carry their trace. Requests don't, whatever their headers say: visitors could join their requests to others'
 * traces, leave them out, or hand on text of their own (`tracestate`, `baggage`).
 */
function makePropagator(service: TelemetryOptions['service']): TextMapPropagator {
  const propagator = new W3CTraceContextPropagator();

  return {
    inject: (...args) => propagator.inject(...args),
    extract: (outer, ...args) => (service === 'web' ? outer : propagator.extract(outer, ...args)),
    fields: () => propagator.fields(),
  };
}

function startProvider({ service, siteHost, endpoint, logger }: TelemetryOptions): BasicTracerProvider {
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: EXPORT_TIMEOUT });
  const provider = new BasicTracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({ 'service.name': `website-${service}`, 'service.namespace': siteHost }),
    ),
    sampler: new ParentBasedSampler({ root: rootSampler }),
    spanProcessors: [new BatchSpanProcessor(guardExporter(exporter, logger))],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(makePropagator(service));

  return provider;
}

function makeFastifyPlugin(): Telemetry['fastifyPlugin'] {
  const instrumentation = new FastifyOtelInstrumentation({
    // The handler's span alone: after a body was read it brings the request's trace back.
    instrumentHooks: false,
    recordExceptions: false,
    ignorePaths: ({ url }) => UNTRACED_PATHS.includes(url),
    requestHook: (span, { method, routeOptions }) => span.updateName(`${method} ${routeOptions.url ?? ''}`.trim()),
  });

  return fastifyPlugin(async (app) => {
    await app.register(instrumentation.plugin());
    // It ends a span with the response, or with a response that was sent past Fastify; not where the client leaves before.
    app.addHook('onRequestAbort', async (request) => request.opentelemetry().span?.end());
  });
}

/** Starts the traces of a process; they go to the collector in batches, beside what the process does. */
export function openTelemetry(options: TelemetryOptions): Telemetry {
  const provider = startProvider(options);
  const tracer = trace.getTracer('website');

  return {
    fastifyPlugin: makeFastifyPlugin(),
    ofQueues: new BullMQOtel(),
    inSpan: (name, attributes, work) =>
      tracer.startActiveSpan(name, { kind: SpanKind.CLIENT, attributes }, async (span) => {
        const fail = () => void span.setStatus({ code: SpanStatusCode.ERROR });
        try {
          return await work({ setAttributes: (more) => void span.setAttributes(more), fail });
        } catch (error) {
          fail();
          throw error;
        } finally {
          span.end();
        }
      }),
    close: async () => {
      const timeout = new Promise((resolve) => setTimeout(resolve, CLOSE_TIMEOUT).unref());
      await Promise.race([provider.shutdown(), timeout]);
    },
  };
}
