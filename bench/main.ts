import { parseArgs } from 'node:util';
import { runCommand } from '../scripts/processes.ts';
import { runBenchmark, type Benchmark } from './harness/benchmark.ts';

/** Each benchmark, in the order of `docs/benchmarks.md`. */
const benchmarks: Readonly<Record<string, () => Promise<{ readonly benchmark: Benchmark }>>> = {
  pages: () => import('./pages.ts'),
  contact: () => import('./contact.ts'),
  jobs: () => import('./jobs.ts'),
  'start-and-memory': () => import('./start-and-memory.ts'),
  browser: () => import('./browser.ts'),
  interactions: () => import('./interactions.ts'),
  growth: () => import('./growth.ts'),
};

const USAGE = `Usage: npm run bench -- [NAME...] [--quick] [--page PATH...]

NAME is one of ${Object.keys(benchmarks).join(', ')}; all of them by default.
  --quick      one short run of each, to try whether it works
  --page PATH  only this page (browser); may be repeated`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    page: { type: 'string', multiple: true, default: [] },
  },
});
const unknown = positionals.filter((name) => !Object.hasOwn(benchmarks, name));
const names = positionals.length > 0 ? positionals : Object.keys(benchmarks);
const [first = ''] = names;

if (values.help || unknown.length > 0) {
  console.error(USAGE);
  process.exitCode = values.help ? 0 : 2;
} else if (names.length === 1) {
  const loaded = await benchmarks[first]?.();
  if (loaded) await runBenchmark(first, loaded.benchmark, { isQuick: values.quick, pages: values.page });
} else {
  // Each in a process of its own: some move themselves to one core, or lower their priority.
  const options = process.argv.slice(2).filter((argument) => !positionals.includes(argument));
  for (const name of names) {
    const exitCode = await runCommand(process.execPath, [import.meta.filename, name, ...options]);
    if (exitCode !== 0) process.exitCode = 1;
    // A signal is meant for all of them.
    if (exitCode > 128) break;
  }
}
