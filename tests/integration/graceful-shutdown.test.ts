import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { apiPaths } from '../../shared/paths.ts';
import { findFreePort } from '../../scripts/free-port.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { earlierReport, setUpDeliveries } from '../support/delivery-fixture.ts';
import { openWorker } from '../support/open-site.ts';
import { openConnection } from '../support/raw-http.ts';
import { startProcess, startWebProcess, type WebProcess } from '../support/site-process.ts';
import { storeSubmission } from '../support/stored-requests.ts';
import { waitFor } from '../support/wait-for.ts';

async function startWeb(): Promise<WebProcess> {
  const web = await startWebProcess({ DATABASE_URL: await createMigratedDatabase() });
  onTestFinished(async () => void (await web.stop('SIGKILL')));

  return web;
}

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const FIRST_HALF =
  'POST /api/contact-submissions HTTP/1.1\r\nHost: localhost\r\n' +
  'Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{"na';
const SECOND_HALF = 'me":1}';

test('after SIGTERM requests under way get their response, readiness is 503, and silent connections are closed', async () => {
  const web = await startWeb();
  const [kept, half, visitor, probe, silent] = await Promise.all(
    Array.from({ length: 5 }, () => openConnection(web.origin)),
  );
  if (!kept || !half || !visitor || !probe || !silent) throw new Error('There are five.');
  kept.send(request('/about'));
  expect(await kept.receive('</html>')).toContain('Connection: keep-alive');
  half.send(FIRST_HALF);

  const startedAt = performance.now();
  const exit = web.stop();
  await waitFor('the end to begin', () => web.output().includes('Shutting down.'));
  visitor.send(request('/about'));
  probe.send(request(apiPaths.ready));
  const page = await visitor.receive('</html>');
  const readiness = await probe.receive('"status"');
  half.send(SECOND_HALF);
  const response = await half.receive('invalid-fields');

  for (const [received, status] of [
    [page, 200],
    [readiness, 503],
    [response, 400],
  ] as const) {
    const [head = ''] = received.split('\r\n\r\n', 1);
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toMatch(/\r\nconnection: close\r\n/i);
  }
  expect(readiness).toContain('"not-ready"');
  expect(await exit).toBe(0);
  // Long before the deadline of 25 seconds, though three were never closed by their clients.
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  await waitFor('all to be closed', () => [kept, half, visitor, probe, silent].every((each) => each.isClosed()));
});

test('a request on a keep-alive connection ends it: the process doesn’t wait for the next', async () => {
  const web = await startWeb();
  const kept = await openConnection(web.origin);
  kept.send(request('/about'));
  await kept.receive('</html>');
  kept.send(FIRST_HALF);

  const exit = web.stop();
  await waitFor('the end to begin', () => web.output().includes('Shutting down.'));
  kept.send(SECOND_HALF);

  const [, response = ''] = (await kept.receive('invalid-fields')).split('</html>');
  expect(response).toMatch(/\r\nconnection: close\r\n/i);
  expect(await exit).toBe(0);
});

test('a second signal, given a second later, ends the process at once and with an error', async () => {
  const web = await startWeb();
  const half = await openConnection(web.origin);
  half.send(FIRST_HALF);

  const startedAt = performance.now();
  const exit = web.stop();
  await waitFor('the end to begin', () => web.output().includes('Shutting down.'));
  const begunAt = performance.now();
  // What comes at once with the first is the first, sent twice.
  void web.stop();
  await waitFor('a second to pass', () => performance.now() - begunAt > 1_100);
  expect(web.hasExited()).toBe(false);
  void web.stop();

  expect(await exit).toBe(1);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expect(web.output().match(/"A second signal/g)?.length).toBeGreaterThan(0);
});

test('a worker that still waits for PostgreSQL ends in order, too', async () => {
  const worker = startProcess('tests/support/worker-entry.ts', {
    DATABASE_URL: `postgres://nobody@127.0.0.1:${await findFreePort()}/none`,
  });
  onTestFinished(async () => void (await worker.stop('SIGKILL')));
  await waitFor('it to wait', () => worker.output().includes('Waiting for the database.'));

  expect(await worker.stop()).toBe(0);
  expect(worker.output()).toContain('Shutting down.');
  expect(worker.output()).not.toContain('"level":"error"');
});

test.each([
  ['held requests', { quarantined_at: new Date(), quarantine_reason: 'too-fast' }, {}],
  ['the week', {}, { REPORT_AT: 'Mon 0' }],
] as const)('a worker completes the mail about %s that is under way, and raises no alert', async (_what, changes, more) => {
  // On a busy machine no attempt ends, and nothing counts as late, before the worker is stopped.
  const WORKER_TIMINGS = JSON.stringify({ lease: 60_000, attempt: 50_000, alertAfter: 60_000 });
  const { settings, database, sink } = await setUpDeliveries({ REDIS_URL: '', WORKER_TIMINGS, ...more });
  const held = new AbortController();
  sink.faults.push({ kind: 'hold', until: once(held.signal, 'abort') });
  await storeSubmission(database, changes);
  await database('deliveries').insert(earlierReport);
  const worker = await openWorker(settings);
  await waitFor('the mail', () => sink.received.length === 1);

  const stopped = worker.stop();
  held.abort();
  await stopped;

  expect(worker.output()).toContain('A delivery is sent.');
  expect(worker.output()).not.toContain('"alert"');
});
