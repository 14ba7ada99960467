import { defineConfig } from 'vitest/config';
import { contentModules } from './scripts/vite/content-modules.ts';

/** Real servers start and stop in these; a hung one must not hang the run. */
const SLOW = 120_000;

/**
 * Files share the modules they import, which takes a third off the unit tests; a test that changes a global (a
 * clock, a variable of the environment) puts it back when it ends.
 */
const SHARED_MODULES = { isolate: false };

/**
 * Tests with real processes and a browser, on a machine that may do other things too, have a second try. One that
 * needed it is named at the end of the run (`scripts/flaky-reporter.ts`).
 */
const SECOND_TRY = { retry: 1 };

/** They take a minute and have a run of their own: `npm run test:pictures`. */
const SCREENSHOTS = 'tests/browser/screenshots.test.ts';

/**
 * A minute of load that would fail for others' load, and the three files that wait longest and need little of a
 * processor: they run beside it, after all others.
 */
const LOAD = ['load', 'redis-outages', 'clocks', 'half-open'].map((name) => `tests/faults/${name}.test.ts`);

/** A fault may have to be outlived several times, on a machine that does other things too. */
const SLOWER = 240_000;

export default defineConfig({
  plugins: [contentModules()],
  test: {
    // Twice the cores of a small machine: much of a test is waiting for a process, a mail or a page.
    maxWorkers: 4,
    allowOnly: false,
    // A snapshot that is missing fails; `-u` writes it.
    update: 'none',
    reporters: ['default', './scripts/flaky-reporter.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          ...SHARED_MODULES,
          // After the others: mixed with them, each would begin a process of its own.
          sequence: { groupOrder: 1 },
          // Some start a process, which takes seconds beside other work.
          testTimeout: 30_000,
          include: ['{client,server,shared,jobs,ops,scripts}/**/*.test.ts', 'tests/unit/**/*.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          // One project for both kinds: Vitest ends a process, and the modules it has loaded, before a file of another.
          name: 'site',
          ...SHARED_MODULES,
          ...SECOND_TRY,
          include: ['tests/{integration,browser}/**/*.test.ts'],
          exclude: [SCREENSHOTS],
          // Node loads the built pages, as in production.
          server: { deps: { external: [/\/dist\/server\//] } },
          globalSetup: 'tests/support/global-site.ts',
          testTimeout: SLOW,
          hookTimeout: SLOW,
        },
      },
      ...[
        { name: 'faults', include: ['tests/faults/**/*.test.ts'], exclude: LOAD },
        { name: 'faults-load', include: LOAD, sequence: { groupOrder: 1 } },
      ].map((project) => ({
        extends: true as const,
        test: {
          ...project,
          ...SECOND_TRY,
          globalSetup: 'tests/support/global-postgres.ts',
          testTimeout: SLOWER,
          hookTimeout: SLOW,
        },
      })),
      {
        extends: true,
        test: {
          name: 'pictures',
          include: [SCREENSHOTS],
          globalSetup: 'tests/support/global-site.ts',
          testTimeout: SLOW,
          hookTimeout: SLOW,
        },
      },
    ],
  },
});
