import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const readText = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

/** One rule's lines, by the alert's name. */
async function listAlerts(): Promise<ReadonlyMap<string, string>> {
  const [, ...rules] = (await readText('monitoring/alert-rules.yml')).split(/^ {6}- alert: /m);

  return new Map(rules.map((rule) => [rule.split('\n', 1)[0] ?? '', rule]));
}

test('every alert has a severity, what is wrong, what that means and what to do', async () => {
  const alerts = await listAlerts();

  expect(alerts.size).toBeGreaterThan(8);
  for (const [name, rule] of alerts) {
    for (const field of [/^ {8}expr: \S/m, /^ {8}labels: \{ severity: (?:critical|warning|info) \}$/m, /^ {10}summary: \S/m, /^ {10}description: \S/m, /^ {10}action: \S/m]) {
      expect([name, field.test(rule)]).toEqual([name, true]);
    }
  }
});

/** The metrics of what the site promises, each with the worst value at which an alert must fire. */
const promised = {
  site_delivery_oldest_due_seconds: 5 * 60,
  'site_deliveries{state="dead"}': 0,
  site_submissions_at_risk: 0,
  site_submissions_overdue: 0,
};

test.each(Object.entries(promised))('an alert fires once %s is above %i', async (metric, most) => {
  const expressions = [...(await listAlerts()).values()].map((rule) => /^ {8}expr: (.*)$/m.exec(rule)?.[1] ?? '');
  const limits = expressions
    .filter((expression) => expression.includes(metric))
    .flatMap((expression) => / > (\d+)$/.exec(expression)?.slice(1) ?? [])
    .map(Number);

  expect(limits.length).toBeGreaterThan(0);
  expect(Math.min(...limits)).toBeLessThanOrEqual(most);
});

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly targets?: ReadonlyArray<{ readonly expr: string; readonly datasource: unknown }>;
}

test('the dashboard asks for its data source, and every panel uses it', async () => {
  const dashboard = JSON.parse(await readText('monitoring/grafana-dashboard.json')) as {
    templating: { list: Array<{ name: string; type: string; query: string }> };
    panels: Panel[];
  };
  const panels = dashboard.panels.filter(({ type }) => type !== 'row');

  expect(dashboard.templating.list).toMatchObject([
    { name: 'datasource', type: 'datasource', query: 'prometheus' },
  ]);
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  for (const { title, targets = [] } of panels) {
    expect([title, targets.length > 0]).toEqual([title, true]);
    for (const { expr, datasource } of targets) {
      expect(expr).not.toBe('');
      expect(datasource).toEqual({ type: 'prometheus', uid: '${datasource}' });
    }
  }
});

test('the stack publishes the metrics server nowhere', async () => {
  const compose = await readText('docker-compose.yml');
  const published = [...compose.matchAll(/^ +- (\S+):(\d+)$/gm)].map(([, , inside]) => inside);

  expect(compose.match(/^\s*(?:ports|expose):/gm)).toHaveLength(1);
  expect(published).toEqual(['8080', '8443', '3000']);
});
