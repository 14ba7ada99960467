import { findFreePort } from '../../scripts/free-port.ts';
import type { Environment } from './site-process.ts';

/** Returns settings with a metrics server on a free port, and the origin of that server. */
export async function withMetrics(settings: Environment) {
  const port = await findFreePort();

  return {
    settings: { ...settings, METRICS_PORT: String(port) },
    origin: `http://127.0.0.1:${port}`,
  };
}

/** The result of a scrape. */
export interface Scrape {
  readonly text: string;
  /** The samples' names, including `_bucket`, `_sum` and `_count`. */
  readonly names: ReadonlySet<string>;
  /** Returns the value of the sample with exactly this name and these labels; undefined if there is none. */
  readonly read: (name: string, labels?: Readonly<Record<string, string>>) => number | undefined;
}

const SAMPLE = /^([a-z][a-z0-9_]*)(?:\{(.*)\})? (\S+)$/;

/** Scrapes a metrics server as Prometheus does. */
export async function scrape(origin: string): Promise<Scrape> {
  const response = await fetch(`${origin}/metrics`);
  if (response.status !== 200) throw new Error(`The metrics server responded with ${response.status}.`);
  const text = await response.text();
  const samples = text
    .split('\n')
    .map((line) => SAMPLE.exec(line))
    .filter((match) => match !== null)
    .map(([, name = '', labels = '', value]) => ({
      name,
      labels: labels.split(',').filter(Boolean).sort().join(','),
      value: Number(value),
    }));

  return {
    text,
    names: new Set(samples.map(({ name }) => name)),
    read: (name, labels = {}) => {
      const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
      const key = wanted.sort().join(',');

      return samples.find((sample) => sample.name === name && sample.labels === key)?.value;
    },
  };
}
