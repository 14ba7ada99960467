import { Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { Hour, Second } from '../../shared/time.ts';
import { createArchiveReport } from './archive-report.ts';

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

test('failures are an alert, and recorded, once they have lasted a minute', () => {
  const { alerts, setFailed, report } = setUp();
  for (const wait of [0, 59 * Second, 1 * Second]) {
    vi.advanceTimersByTime(wait);
    report.failed(new Error('refused'));
  }

  expect(alerts).toEqual([false, false, true]);
  expect(setFailed).toHaveBeenCalledOnce();
});

test('each restart of the server is a failure of its own, however long ago the process started', async () => {
  const { alerts, report } = setUp();
  for (let restart = 0; restart < 3; restart += 1) {
    const ended = report.watch(async () => {
      vi.advanceTimersByTime(1 * Hour);
      throw new Error('terminated');
    });
    await ended.catch(report.failed);
    vi.advanceTimersByTime(5 * Second);
    report.failed(new Error('refused'));
  }

  expect(alerts).toEqual(Array<boolean>(6).fill(false));
});

test('what receives for seconds only, again and again, is an alert', async () => {
  const { alerts, report } = setUp();
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const ended = report.watch(async () => {
      vi.advanceTimersByTime(25 * Second);
      throw new Error('terminated');
    });
    await ended.catch(report.failed);
  }

  expect(alerts).toEqual([false, false, false, true]);
});
