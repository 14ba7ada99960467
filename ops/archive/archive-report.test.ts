import { Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { Hour, Second } from '../../shared/time.ts';
import { createArchiveReport, type ArchiveReport } from './archive-report.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A report, and whether each failure so far was an alert. */
function setUp() {
  const alerts: boolean[] = [];
  const stream = new Writable({
    write: (line: Buffer, _encoding, onWritten) => {
      alerts.push(line.toString().includes('"alert":"archive-failed"'));
      onWritten();
    },
  });
  const setFailed = vi.fn();
  const logger = createLogger({ level: 'warn', process: 'backup', stream });

  return { alerts, setFailed, report: createArchiveReport({ record: { setFailed }, logger }) };
}

/** Receives for so many milliseconds, until the server ends it. */
const receiveFor = (ms: number, { watch, failed }: ArchiveReport) =>
  watch(async () => {
    vi.advanceTimersByTime(ms);
    throw new Error('terminated');
  }).catch(failed);

test('failures are an alert, and recorded, once they have lasted a minute, and a line a minute', () => {
  const { alerts, setFailed, report } = setUp();
  for (const wait of [0, 59 * Second, 1 * Second, 30 * Second]) {
    vi.advanceTimersByTime(wait);
    report.failed(new Error('refused'));
  }

  expect(alerts).toEqual([false, true]);
  expect(setFailed).toHaveBeenCalledTimes(2);
});

test('each restart of the server is a failure of its own, however long ago the process started', async () => {
  const { alerts, report } = setUp();
  for (let restart = 0; restart < 3; restart += 1) {
    await receiveFor(1 * Hour, report);
    vi.advanceTimersByTime(5 * Second);
    report.failed(new Error('refused'));
  }

  expect(alerts).toEqual([false, false, false]);
});

test('what receives for seconds only, again and again, is an alert', async () => {
  const { alerts, report } = setUp();
  for (let attempt = 0; attempt < 4; attempt += 1) await receiveFor(25 * Second, report);

  expect(alerts).toEqual([false, true]);
});
