import { text } from 'node:stream/consumers';
import { startLocalServer } from './local-server.ts';
import type { Environment } from './site-process.ts';

/** A span as OTLP writes it in JSON. */
interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: Readonly<Record<string, unknown>> }>;
  readonly status: { readonly code?: number; readonly message?: string };
}

interface OtlpRequest {
  readonly resourceSpans: ReadonlyArray<{
    readonly resource: Pick<OtlpSpan, 'attributes'>;
    readonly scopeSpans: ReadonlyArray<{ readonly spans: readonly OtlpSpan[] }>;
  }>;
}

export interface ReceivedSpan extends Omit<OtlpSpan, 'attributes'> {
  readonly service: unknown;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A collector: what takes spans by OTLP over HTTP. */
export interface OtlpReceiver {
  /** Settings with which a process sends its spans here, without waiting for more of them. */
  readonly settings: Environment;
  /** The bodies as they came, with their requests' addresses and headers. */
  readonly received: () => string;
  readonly listSpans: () => readonly ReceivedSpan[];
  /** How many requests came, taken or not. */
  readonly countRequests: () => number;
  /** The status of the next responses; 0 gives none. */
  status: number;
}

const readAttributes = ({ attributes }: Pick<OtlpSpan, 'attributes'>) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

const readSpans = (body: string): ReceivedSpan[] =>
  (JSON.parse(body) as OtlpRequest).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        service: readAttributes(resource)['service.name'],
        attributes: readAttributes(span),
      })),
    ),
  );

/** Receives spans until the test ends. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const heads: string[] = [];
  const bodies: string[] = [];
  const origin = await startLocalServer((request, response) => {
    heads.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    void text(request).then((body) => {
      bodies.push(body);
      if (receiver.status !== 0) response.writeHead(receiver.status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  const receiver: OtlpReceiver = {
    settings: {
      OTEL_EXPORTER_OTLP_ENDPOINT: origin,
      // Not settings of ours, but of OpenTelemetry: milliseconds between two batches.
      OTEL_BSP_SCHEDULE_DELAY: '50',
    },
    received: () => [...heads, ...bodies].join('\n'),
    listSpans: () => bodies.flatMap(readSpans),
    countRequests: () => heads.length,
    status: 200,
  };

  return receiver;
}
