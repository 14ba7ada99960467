import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const readText = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

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
