import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { setUpDeliveries } from '../support/delivery-fixture.ts';
import { scrape, withMetrics } from '../support/metrics.ts';
import { openWeb, openWorker } from '../support/open-site.ts';

const folder = fileURLToPath(new URL('../../monitoring/', import.meta.url));

/** Runs promtool. Rejects with its output if it finds an error. */
const runPromtool = (...args: readonly string[]) => promisify(execFile)('promtool', args, { cwd: folder });

test('Prometheus accepts the alert rules and the configuration that loads them', async () => {
  const rules = await runPromtool('check', 'rules', '--lint-fatal', 'alert-rules.yml');
  expect(rules.stdout).toMatch(/SUCCESS: \d+ rules found/);

  const settings = await runPromtool('check', 'config', '--lint-fatal', 'prometheus.yml');
  expect(settings.stdout).toContain('SUCCESS: 1 rule files found');
  expect(settings.stdout).toContain('prometheus.yml is valid');
});

test('every alert fires above its threshold, but not at the threshold', async () => {
  const { stdout } = await runPromtool('test', 'rules', 'alert-rules.test.yml');

  expect(stdout).toContain('SUCCESS');
});

/** Returns promtool's warnings about metrics whose names break Prometheus's conventions. */
async function lintMetrics(metrics: string): Promise<string[]> {
  const promtool = spawn('promtool', ['check', 'metrics']);
  const [remarks, output] = [text(promtool.stderr), text(promtool.stdout)];
  const exit = once(promtool, 'exit') as Promise<[number]>;
  promtool.stdin.end(metrics);
  const [exitCode] = await exit;
  // Exit code 3 means that promtool has warnings.
  if (exitCode !== 0 && exitCode !== 3) throw new Error(`${await remarks}${await output}`);

  return `${await remarks}${await output}`.split('\n').filter(Boolean);
}

test('the metrics of web and worker follow Prometheus’s conventions, except for three named by prom-client', async () => {
  const fixture = await setUpDeliveries();
  const web = await withMetrics(fixture.settings);
  const worker = await withMetrics(fixture.settings);
  await openWeb(web.settings);
  await openWorker(worker.settings);

  for (const { origin } of [web, worker]) {
    const remarks = await lintMetrics((await scrape(origin)).text);
    expect(remarks.map((line) => line.split(' ', 1)[0])).toEqual([
      'site_nodejs_active_handles_total',
      'site_nodejs_active_requests_total',
      'site_nodejs_active_resources_total',
    ]);
  }
});
