import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const readText = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

interface AlertRule {
  readonly alert: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<'summary' | 'description' | 'action', string>>;
}

test('every alert has a severity, and the page has what it means and what to do', async () => {
  const { groups } = parse(await readText('monitoring/alert-rules.yml')) as { groups: Array<{ rules: AlertRule[] }> };
  const alerts = groups.flatMap(({ rules }) => rules);
  const page = await readText('docs/operations/alerts.md');
  const rows = [...page.matchAll(/^\| `(Site\w+)` \| (.+) \| (.+) \|$/gm)];

  expect(rows.map(([, name]) => name)).toEqual(alerts.map(({ alert }) => alert));
  for (const [index, { alert, labels, annotations }] of alerts.entries()) {
    const [, , meaning = '', action] = rows[index] ?? [];
    expect(['critical', 'warning', 'info']).toContain(labels.severity);
    expect(annotations.summary, alert).toMatch(/\S\.$/);
    expect(meaning.endsWith(` ${annotations.description}`), `${meaning} ${annotations.description}`).toBe(true);
    expect(action).toBe(annotations.action);
  }
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
