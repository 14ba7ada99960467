import { trace } from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import { expect, test, vi } from 'vitest';
import { createLogger } from '../logging/logger.ts';
import { guardExporter } from './exported-spans.ts';

const logger = createLogger({ level: 'silent', process: 'test' });

function makeTracer(exporter: SpanExporter) {
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(guardExporter(exporter, logger))] });

  return provider.getTracer('test');
}

test('of a span leave its name, its times, its place in the trace and what is known to be an id or a code', () => {
  const exporter = new InMemorySpanExporter();
  const span = makeTracer(exporter).startSpan('GET /contact', {
    attributes: { 'http.route': '/contact', 'url.path': '/contact?email=a', 'user_agent.original': 'a', 'client.address': 'a' },
    links: [{ context: trace.wrapSpanContext({ traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 }).spanContext() }],
  });
  span.recordException(new Error('a@example.com'));
  span.setStatus({ code: 2, message: 'a@example.com' });
  span.end();
  const [exported] = exporter.getFinishedSpans();

  expect(exported?.spanContext()).toEqual(span.spanContext());
  expect(exported).toMatchObject({
    name: 'GET /contact',
    attributes: { 'http.route': '/contact' },
    events: [],
    links: [],
    status: { code: 2 },
  });
  expect(Object.keys(exported?.attributes ?? {})).toEqual(['http.route']);
  expect(exported?.status).not.toHaveProperty('message');
});

test('the first of several failures is logged, and their end', () => {
  const [warn, info] = [vi.spyOn(logger, 'warn'), vi.spyOn(logger, 'info')];
  let code = ExportResultCode.FAILED;
  const tracer = makeTracer({ export: (_spans, onResult) => onResult({ code }), shutdown: async () => undefined });
  const sendSpans = () => [1, 2, 3].forEach(() => tracer.startSpan('any').end());

  sendSpans();
  expect([warn, info].map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
  code = ExportResultCode.SUCCESS;
  sendSpans();
  expect([warn, info].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
});
