import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Database } from '../../shared/node/database/database.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { listStages, setUpDeliveries, startWeb, startWorker } from '../support/delivery-fixture.ts';
import { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.ts';
import { openConnection } from '../support/raw-http.ts';
import { waitFor } from '../support/wait-for.ts';
import { untilRedisIs } from '../support/web-health.ts';

const moduleLogger = fileURLToPath(new URL('../support/log-modules.ts', import.meta.url));

/** One mail and one export for each request within a test's time. */
const AT_ONCE = { FOLLOW_UP_REMINDER_AFTER: '20h', FOLLOW_UP_AFTER: '24h' };

const findSpans = ({ listSpans }: OtlpReceiver, name: string) =>
  listSpans().filter((span) => span.name === name);

const untilReceived = (receiver: OtlpReceiver, name: string, count = 1) =>
  waitFor(`${count} of ${name}`, () => {
    const found = findSpans(receiver, name);

    return found.length >= count && found;
  });

/** The names of a span and of those around it, from the outermost. */
function listAncestors(spans: readonly ReceivedSpan[], span: ReceivedSpan): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);

  return [...(parent ? listAncestors(spans, parent) : []), span.name];
}

const VISITORS_TRACE = 'a'.repeat(32);

/** Posts a request with the headers by which a client hands on its own trace. */
async function postAsTracedVisitor(origin: string, body: object): Promise<void> {
  const { status } = await fetch(`${origin}/api/contact-submissions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      traceparent: `00-${VISITORS_TRACE}-${'b'.repeat(16)}-01`,
      tracestate: 'canary=state',
      baggage: 'canary=baggage',
    },
    body: JSON.stringify(body),
  });
  expect(status).toBe(201);
}

/** The request, its jobs and its deliveries are one trace. */
async function expectTrace(
  receiver: OtlpReceiver,
  { database, body }: { readonly database: Database; readonly body: { readonly id: string } },
): Promise<void> {
  const [delivery] = await untilReceived(receiver, 'deliver follow-up');
  await untilReceived(receiver, 'deliver crm-export');
  await untilReceived(receiver, 'process follow-up');
  const [request] = await untilReceived(receiver, 'POST /api/contact-submissions');
  // Web sends its spans in batches.
  const ancestors = await waitFor('the whole trace', () => {
    const names = delivery ? listAncestors(receiver.listSpans(), delivery) : [];

    return names.length === 5 && names;
  });
  const [mail] = await database('deliveries').where({ kind: 'follow-up', state: 'sent' });

  expect(ancestors).toEqual([
    'POST /api/contact-submissions',
    expect.stringMatching(/^handler - /),
    'add follow-up.follow-up',
    'process follow-up',
    'deliver follow-up',
  ]);
  expect(request).toMatchObject({
    service: 'website-web',
    attributes: { 'http.request.method': 'POST', 'http.response.status_code': 201 },
  });
  expect(delivery).toMatchObject({
    service: 'website-worker',
    attributes: {
      'delivery.id': mail?.id,
      'delivery.kind': 'follow-up',
      'delivery.stage': 'new',
      'delivery.result': 'sent',
      'submission.id': body.id,
    },
  });
  expect(findSpans(receiver, 'deliver crm-export').map(({ traceId }) => traceId)).toEqual([request?.traceId]);
}

/** Files of OpenTelemetry that a process loaded; its mere types, which prom-client loads, are none. */
const listLoaded = (output: string) =>
  [...output.matchAll(/^loaded (.*)$/gm)]
    .map(([, url = '']) => url)
    .filter((url) => /otel|opentelemetry|\/dist\/telemetry\//.test(url) && !url.includes('/@opentelemetry/api/'));

describe('with OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  test('one trace leads from a request by its jobs to its deliveries, with ids that the database has; no visitor joins it, or hands on text by a header; health checks, and what BullMQ does by itself, begin none', async () => {
    const receiver = await startOtlpReceiver();
    const { settings, database, redis } = await setUpDeliveries({ ...AT_ONCE, ...receiver.settings });
    const web = await startWeb(settings);
    await untilRedisIs('up', web.origin);
    const body = makeContactBody();
    await postAsTracedVisitor(web.origin, body);
    // Not before: its sweep adds what is missing, and could be first.
    await untilReceived(receiver, 'add follow-up.follow-up');
    const [request] = await untilReceived(receiver, 'POST /api/contact-submissions');
    const keys = (await redis.command('KEYS', 'bull:follow-up:delivery-*')) as string[];
    const job = JSON.stringify(await redis.command('HGETALL', keys[0] ?? ''));
    await fetch(`${web.origin}/health/ready`);
    await startWorker(settings);
    await waitFor('mail and export', async () => (await database('deliveries').where({ state: 'sent' })).length === 2);
    await fetch(`${web.origin}/robots.txt`);

    await expectTrace(receiver, { database, body });
    expect(job).toContain(request?.traceId);
    for (const place of [receiver.received(), job]) {
      expect(place).not.toContain(VISITORS_TRACE);
      expect(place).not.toContain('canary');
    }
    await untilReceived(receiver, 'GET /robots.txt');
    const roots = receiver.listSpans().filter(({ parentSpanId }) => !parentSpanId);
    const names = ['GET /robots.txt', 'POST /api/contact-submissions', 'add follow-up.follow-up', 'add crm-export.crm-export'];
    expect(roots.filter(({ name }) => !names.includes(name))).toEqual([]);
    expect(request?.parentSpanId).toBeFalsy();
  });

  test('a delivery without a queue begins a trace of its own, and one that fails says so without a reason', async () => {
    const receiver = await startOtlpReceiver();
    const { settings, sink } = await setUpDeliveries({ ...AT_ONCE, ...receiver.settings, REDIS_URL: '' });
    sink.faults.push({ kind: 'refuse', code: 451 });
    const web = await startWeb(settings);
    await startWorker(settings);
    await postContact(web.origin, makeContactBody());
    const [failed, sent] = await untilReceived(receiver, 'deliver follow-up', 2);

    expect(failed).toMatchObject({ status: { code: 2 }, attributes: { 'delivery.result': 'retry' } });
    expect(failed?.status.message).toBeUndefined();
    expect(sent).toMatchObject({ status: { code: 0 }, attributes: { 'delivery.result': 'sent', 'delivery.attempts': 2 } });
    for (const span of [failed, sent]) expect(span?.parentSpanId).toBeFalsy();
    expect(sent?.traceId).not.toBe(failed?.traceId);
  });

  test('a visitor who leaves before all of a file has arrived ends the request’s span', async () => {
    const receiver = await startOtlpReceiver();
    const { settings } = await setUpDeliveries(receiver.settings);
    const web = await startWeb(settings);
    const files = await readdir('dist/client/assets', { recursive: true });
    const video = files.find((file) => file.endsWith('.mp4')) ?? '';
    const visitor = await openConnection(web.origin);
    visitor.pause();
    // Together more than the kernel takes of what isn't read.
    visitor.send(`GET /assets/${video} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(20));
    const listHandlers = () =>
      receiver
        .listSpans()
        .filter(({ name, attributes }) => name.startsWith('handler') && attributes['http.route'] === '/assets/*');
    await waitFor('a response to begin', () => listHandlers().length > 0);
    visitor.close();
    // What web does next comes after the connection's end.
    await fetch(`${web.origin}/robots.txt`);
    expect(await web.stop()).toBe(0);

    const requests = findSpans(receiver, 'GET /assets/*').map(({ spanId }) => spanId);
    expect(listHandlers().map(({ parentSpanId }) => parentSpanId).sort()).toEqual(requests.sort());
  });

  test.each([
    ['refuses', 400],
    ['takes everything and never answers', 0],
  ])('a collector that %s costs no request and no mail, and is one line in the log', async (_name, status) => {
    const receiver = await startOtlpReceiver();
    receiver.status = status;
    const { settings, sink } = await setUpDeliveries({ ...AT_ONCE, ...receiver.settings });
    const web = await startWeb(settings);
    const worker = await startWorker(settings);
    for (let post = 0; post < 3; post += 1) {
      expect((await postContact(web.origin, makeContactBody())).status).toBe(201);
      const before = receiver.countRequests();
      await waitFor('the next batch', () => receiver.countRequests() > before || status === 0);
    }
    await waitFor('the mails', () => sink.received.length === 3);

    expect(listStages(sink)).toEqual(['new', 'new', 'new']);
    for (const site of [web, worker]) {
      await expect.poll(site.output, { timeout: 20_000 }).toContain('Traces can’t be sent');
      expect(await site.stop()).toBe(0);
      expect(site.output().match(/Traces can’t be sent/g)).toHaveLength(1);
      expect(site.output()).not.toContain('took too long');
    }
  });
});

test('OpenTelemetry is loaded as one file where the setting is, and not at all without it', async () => {
  const receiver = await startOtlpReceiver();
  const { settings, database } = await setUpDeliveries({ ...AT_ONCE, NODE_OPTIONS: `--import ${moduleLogger}` });
  const web = await startWeb(settings);
  const worker = await startWorker(settings);
  await postContact(web.origin, makeContactBody());
  await waitFor('mail and export', async () => (await database('deliveries').where({ state: 'sent' })).length === 2);
  const traced = await startWeb({ ...settings, ...receiver.settings });

  for (const { output } of [web, worker]) {
    expect(output()).toContain('/bullmq/');
    expect(listLoaded(output())).toEqual([]);
  }
  expect(listLoaded(traced.output())).toEqual([expect.stringMatching(/\/dist\/telemetry\/open-telemetry\.js$/)]);
});
