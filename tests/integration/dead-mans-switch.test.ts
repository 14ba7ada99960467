import { describe, expect, onTestFinished, test } from 'vitest';
import { makeDeadMansSwitch } from '../../jobs/health/dead-mans-switch.ts';
import { loadConfig } from '../../shared/node/config/config.ts';
import { createOutboundClient } from '../../shared/node/outbound/outbound-client.ts';
import { Minute } from '../../shared/time.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { createMemoryLogger } from '../support/memory-logger.ts';
import { openWorker } from '../support/open-site.ts';
import { startLocalServer } from '../support/local-server.ts';
import { runOps } from '../support/run-ops.ts';
import { storeDelivery, storeSubmission } from '../support/stored-requests.ts';
import { waitFor } from '../support/wait-for.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const PATH = '/secret-path?status=up';

/** Starts a service that records calls and responds with the current `status`, or not at all if it is 0. */
async function startService() {
  const calls: string[] = [];
  const service = { status: 200 };
  const origin = await startLocalServer(({ method, url }, response) => {
    calls.push(`${method} ${url}`);
    if (service.status > 0) response.writeHead(service.status).end('OK');
  });

  return { url: origin + PATH, calls, service };
}

/** Sets up the worker's task, its log and the service that the task calls. */
async function setUp() {
  const config = loadConfig({ DATABASE_URL: await createMigratedDatabase() });
  const database = openDatabase(config.databaseUrl, onTestFinished);
  const outbound = createOutboundClient(['127.0.0.1']);
  onTestFinished(outbound.close);
  const { logger, read } = createMemoryLogger('worker', 'info');
  const receiver = await startService();

  return { ...receiver, database, read, run: makeDeadMansSwitch({ config, database, outbound, url: receiver.url, logger }) };
}

const neverAborted = new AbortController().signal;

describe('HEARTBEAT_URL', () => {
  test('is called only while no delivery is late', async () => {
    const { calls, read, database, run } = await setUp();
    const submission = await storeSubmission(database);
    const delivery = await storeDelivery(database, submission, { due_at: new Date(Date.now() - 4 * Minute) });
    await run(neverAborted);
    expect(calls).toEqual([`GET ${PATH}`]);

    await database('deliveries').where({ id: delivery }).update({ due_at: new Date(Date.now() - 6 * Minute) });
    await run(neverAborted);
    expect(calls).toHaveLength(1);
    expect(read()).toMatch(/A delivery is 6 minutes late.*HEARTBEAT_URL is not called/);

    await database('deliveries').where({ id: delivery }).update({ state: 'sent' });
    await run(neverAborted);
    expect(calls).toHaveLength(2);
  });

  test('is logged in one line with its host but without its path if the call fails', async () => {
    const { read, service, run } = await setUp();
    service.status = 500;
    await run(neverAborted);
    service.status = 0;
    await run(AbortSignal.timeout(300));

    // The aborted call is not logged, because a worker aborts its call when it shuts down.
    expect(read().trim().split('\n').map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ level: 40, reason: 'heartbeat-500', host: expect.stringContaining('127.0.0.1') }),
    ]);
    expect(read()).not.toContain('secret-path');
  });

  test('is called by a worker, and by `ops alerts test`, which shows the response', async () => {
    const { url, calls, service } = await startService();
    const folder = makeTemporaryFolder();
    const settings = {
      DATABASE_URL: await createMigratedDatabase(),
      MAIL_DIR: folder,
      ERASURES_DIR: folder,
      HEARTBEAT_URL: url,
      OUTBOUND_ALLOW: '127.0.0.1',
      WORKER_TIMINGS: JSON.stringify({ heartbeat: 200 }),
    };
    await openWorker(settings);
    await waitFor('two calls', () => calls.length >= 2);

    service.status = 404;
    const { exitCode, output } = await runOps(settings, 'alerts', 'test');
    expect(exitCode).toBe(1);
    expect(output).toMatch(/^fail {2}heartbeat {2}127\.0\.0\.1 responded with 404: OK$/m);
    expect(output).not.toContain('secret-path');
  });
});
