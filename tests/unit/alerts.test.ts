import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { alerts } from '../../shared/node/logging/alert-list.ts';
import { subscribeToAlerts, type RaisedAlert } from '../../shared/node/logging/raised-alerts.ts';
import { createLogger, createChildWithoutAlerts, type Logger } from '../../shared/node/logging/logger.ts';

/** Returns the alerts that a logger of this level raises. */
function collect(level: string, log: (logger: Logger) => void) {
  const raised: RaisedAlert[] = [];
  const unsubscribe = subscribeToAlerts((alert) => raised.push(alert));
  log(createLogger({ level, process: 'test' }));
  unsubscribe();

  return raised;
}

test('a log line that names an alert raises it at any log level, with the line’s message and no personal data', () => {
  const error = Object.assign(new Error('canary'), { code: '53100', detail: 'canary' });

  for (const level of ['silent', 'fatal']) {
    const raised = collect(level, (logger) =>
      logger.error(
        { err: error, reason: 'r'.repeat(999), dead: 2, email: 'canary', nested: { name: 'canary' }, alert: 'delivery-dead' },
        'A delivery is dead.',
      ),
    );

    expect(raised).toEqual([
      {
        name: 'delivery-dead',
        message: 'A delivery is dead.',
        details: { reason: 'r'.repeat(300), dead: 2, error: '53100', process: 'test' },
      },
    ]);
  }
});

test('a log line raises no alert if it names none or was written while sending alerts', () => {
  expect(collect('silent', (logger) => createChildWithoutAlerts(logger).error({ alert: 'delivery-dead' }, 'x'))).toEqual([]);
  expect(collect('silent', (logger) => logger.error({ dead: 2 }, 'x'))).toEqual([]);
});

test('the alerts page lists every alert with its title and action', async () => {
  const lines = Object.entries(alerts).map(
    ([name, { title, action }]) => `| \`${name}\` | ${title} | ${action} |`,
  );
  const page = await readFile(new URL('../../docs/operations/alerts.md', import.meta.url), 'utf8');

  expect(page.split('\n').filter((line) => /^\| `[a-z-]+` \|/.test(line))).toEqual(lines);
});
