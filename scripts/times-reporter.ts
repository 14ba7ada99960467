import { join } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import type {} from './times-setup.ts';

/** Seconds of a file, or of all files of a group. */
interface Times {
  /** From the start of its process to the end of its last hook. */
  readonly total: number;
  /** Vitest itself, until the file is read. */
  readonly start: number;
  readonly import: number;
  /** `beforeAll` and `afterAll`; those of each test count as the test. */
  readonly hooks: number;
  readonly tests: number;
  /** NaN where it is unknown. */
  readonly processor: number;
}

const columns = ['total', 'start', 'import', 'hooks', 'tests', 'processor'] as const;
const WIDTH = 10;

function measureModule(module: TestModule): Times {
  const { environmentSetupDuration, prepareDuration, setupDuration, collectDuration, duration } = module.diagnostic();
  const tests = [...module.children.allTests()].reduce((sum, test) => sum + (test.diagnostic()?.duration ?? 0), 0);
  const start = environmentSetupDuration + prepareDuration + setupDuration;

  return {
    total: (start + collectDuration + duration) / 1000,
    start: start / 1000,
    import: collectDuration / 1000,
    // Concurrent tests take more together than their file does.
    hooks: Math.max(0, duration - tests) / 1000,
    tests: tests / 1000,
    processor: module.meta().processorSeconds ?? NaN,
  };
}

/** The folder in `tests/`, or the project: unit tests are beside the code. */
const getGroup = ({ relativeModuleId, project }: TestModule): string =>
  /^tests\/(\w+)\//.exec(relativeModuleId)?.[1] ?? project.name;

const addTimes = (one: Times, other: Times): Times => ({
  total: one.total + other.total,
  start: one.start + other.start,
  import: one.import + other.import,
  hooks: one.hooks + other.hooks,
  tests: one.tests + other.tests,
  processor: one.processor + other.processor,
});

function formatRow(times: Times, name: string): string {
  const seconds = columns.map((column) => times[column]);
  const waiting = Math.max(0, times.total - times.processor);
  const cells = [...seconds, waiting].map((value) => (Number.isNaN(value) ? '?' : value.toFixed(1)).padStart(WIDTH));

  return `${cells.join('')}  ${name}`;
}

const NOTE = `Seconds; start: Vitest until it reads the file, hooks: beforeAll and afterAll, processor: the file and the processes
it started, a browser too (not PostgreSQL and the site, which files share), waiting: the rest of the total.`;

/** Prints where the time of a test run went: a line for each file, the slowest last, and one for each group. */
export default class TimesReporter implements Reporter {
  onInit({ projects }: Vitest): void {
    const setupFile = join(import.meta.dirname, 'times-setup.ts');
    for (const { config } of projects) config.setupFiles.unshift(setupFile);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules
      .map((module) => ({ group: getGroup(module), name: module.relativeModuleId, times: measureModule(module) }))
      .sort((one, other) => one.times.total - other.times.total);
    const sums = [...new Set(files.map(({ group }) => group))].map((group) => {
      const members = files.filter((file) => file.group === group);

      return formatRow(members.map(({ times }) => times).reduce(addTimes), `${group} (${members.length})`);
    });
    const head = [...columns, 'waiting'].map((name) => name.padStart(WIDTH)).join('');
    const rows = files.map(({ times, name }) => formatRow(times, name));
    console.log(['', head, ...rows, '', ...sums, '', NOTE].join('\n'));
  }
}
