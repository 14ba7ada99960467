import { expect, onTestFinished } from 'vitest';
import { execFile } from 'node:child_process';
import { closeSync, constants, createReadStream, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import { countStates, startWeb, startWorker } from '../support/delivery-fixture.ts';
import { startProcess, type SiteProcess } from '../support/site-process.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { oneMail, longTimeoutWorker, setUpFault } from './fault-fixture.ts';
import { postSteadily, sendAgain } from './steady-posts.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** A pipe for logs that is full, and that nobody reads. */
interface BlockedPipe {
  /** For a process's standard output; a write to it waits, as on any pipe. */
  readonly fd: number;
  /** Reads from now on; everything that came, what it was filled with left out. */
  readonly read: () => () => string;
}

const NOISE = '\n'.repeat(4_096);

async function makeBlockedPipe(): Promise<BlockedPipe> {
  const folder = makeTemporaryFolder();
  const path = join(folder, 'pipe');
  await promisify(execFile)('mkfifo', [path]);
  const fd = openSync(path, constants.O_RDWR);
  // Opened separately: O_NONBLOCK must not apply to the process's descriptor.
  const filler = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  onTestFinished(() => {
    closeSync(fd);
    closeSync(filler);
  });
  try {
    for (;;) writeSync(filler, NOISE);
  } catch (error) {
    if (getErrorCode(error) !== 'EAGAIN') throw error;
  }

  return {
    fd,
    read: () => {
      let text = '';
      const stream = createReadStream(path, { encoding: 'utf8' });
      stream.on('data', (chunk) => (text += chunk.toString()));
      onTestFinished(() => void stream.destroy());

      return () => text.replace(/^\n+/, '');
    },
  };
}

/** More than the lines that may wait, in requests of one line each. */
const REQUESTS = 8_000;

/** Sends requests on several connections, on each as soon as the response before is there. */
async function askOften(origin: string): Promise<void> {
  let left = REQUESTS;
  const ask = async () => {
    while ((left -= 1) >= 0) await (await fetch(`${origin}/health/live`)).text();
  };
  await Promise.all(Array.from({ length: 16 }, ask));
}

faultRow(60, 'Nobody reads the logs: requests and mails go on; read again, whole lines and the number of dropped ones', async () => {
  const [webLog, workerLog] = [await makeBlockedPipe(), await makeBlockedPipe()];
  const fixture = await setUpFault({ ...oneMail, ...longTimeoutWorker });
  const web = await startWeb(fixture.settings, undefined, { stdout: webLog.fd });
  const worker = startProcess('tests/support/worker-entry.ts', fixture.settings, { stdout: workerLog.fd });
  onTestFinished(async () => void (await worker.stop('SIGKILL')));

  await askOften(web.origin);
  for (let count = 0; count < 5; count += 1) {
    expect((await fixture.submit(web.origin)).status).toBe(201);
  }
  expect((await fetch(`${web.origin}/`)).status).toBe(200);
  await waitFor('the mails', async () => (await countStates(fixture.database))['sent'] === 5);
  await fixture.expectMails();

  const readWeb = webLog.read();
  await waitFor('the number of lost lines', () => readWeb().includes('"dropped":'));
  expect((await fixture.submit(web.origin)).status).toBe(201);
  expect(await web.stop()).toBe(0);
  await waitFor('the last line', () => readWeb().includes('Shutting down.'));
  const lines = readWeb().trimEnd().split('\n');
  for (const line of lines) expect(() => JSON.parse(line) as unknown, line).not.toThrow();
  const answered = lines.filter((line) => line.includes('"request completed"')).length;
  const dropped = lines.flatMap((line) => (JSON.parse(line) as { dropped?: number }).dropped ?? []);
  expect(dropped).toHaveLength(1);
  expect(answered + (dropped[0] ?? 0)).toBeGreaterThanOrEqual(REQUESTS - 100);
});

/** How often a process logged its unhandled error; the error's own message must not be there. */
function countReports(process: SiteProcess): number {
  expect(process.output()).not.toContain('ada@example.org');

  return process.output().split('Unhandled error; the process ends.').length - 1;
}

const FAULT = 'tests/support/failing-entry.ts';

faultRow(61, 'Unhandled rejection in web under load: logged once, exit non-zero, nothing lost after the restart', async (chance) => {
  const fixture = await setUpFault(oneMail);
  const { database, settings } = fixture;
  const web = await startWeb({ ...settings, FAILING_ENTRY: 'server/main.ts' }, FAULT);
  const posting = postSteadily(fixture, () => web.origin);
  await waitFor('some requests', () => fixture.accepted.length > 5);
  await chance.letTimePass(500);

  expect(await web.stop('SIGUSR2')).toBe(1);
  const refused = await posting.stop();

  expect(countReports(web)).toBe(1);
  const next = await startWeb(settings);
  await sendAgain(fixture, next.origin, refused.slice(0, 10));
  await startWorker(settings);
  const rows = await database('contact_submissions');
  await waitFor('all mails', async () => (await countStates(database))['sent'] === rows.length);
  await fixture.expectMails();
});

faultRow(61, 'Unhandled rejection in a worker: logged once, exit non-zero, the next one processes what it left', async (chance) => {
  const fixture = await setUpFault(oneMail);
  const { database, settings, accepted } = fixture;
  const web = await startWeb(settings);
  const worker = await startWorker(
    { ...settings, FAILING_ENTRY: 'tests/support/worker-entry.ts' },
    FAULT,
  );
  for (let count = 0; count < 15; count += 1) await fixture.submit(web.origin);
  await chance.letTimePass(400);

  expect(await worker.stop('SIGUSR2')).toBe(1);

  expect(countReports(worker)).toBe(1);
  await startWorker(settings);
  await waitFor('all mails', async () => (await countStates(database))['sent'] === accepted.length);
  // Deliveries in progress when it exited may be sent twice.
  await fixture.expectMails({}, 5);
});
