import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { alerts } from '../../shared/node/logging/alert-list.ts';
import { subscribeToAlerts, type RaisedAlert } from '../../shared/node/logging/raised-alerts.ts';
import { createLogger, createChildWithoutAlerts, type Logger } from '../../shared/node/logging/logger.ts';

const readText = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

/** What a logger of this level raises when it logs. */
function collect(level: string, log: (logger: Logger) => void) {
  const raised: RaisedAlert[] = [];
  const unsubscribe = subscribeToAlerts((alert) => raised.push(alert));
  log(createLogger({ level, process: 'test' }));
  unsubscribe();

  return raised;
}

describe('a log line with an alert', () => {
  test('raises it at any level of the log, with the line’s message and nothing personal', () => {
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

  test('raises none from a logger that is about alerts, nor does a line without one', () => {
    expect(collect('silent', (logger) => createChildWithoutAlerts(logger).error({ alert: 'delivery-dead' }, 'x'))).toEqual([]);
    expect(collect('silent', (logger) => logger.error({ dead: 2 }, 'x'))).toEqual([]);
  });
});

test('the page of alerts has the table of the code, and README leads to it', async () => {
  const lines = Object.entries(alerts).map(
    ([name, { title, action }]) => `| \`${name}\` | ${title} | ${action} |`,
  );
  const page = await readText('docs/operations/alerts.md');

  expect(page.split('\n').filter((line) => /^\| `[a-z-]+` \|/.test(line))).toEqual(lines);
  expect(await readText('README.md')).toContain('(docs/operations/alerts.md)');
  expect(await readText('docs/operations/README.md')).toContain('(alerts.md)');
});
