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
 * needed it is marked in Vitest's own report.
 */
const SECOND_TRY = { retry: 1 };

/** They take a minute and have a run of their own: `npm run test:pictures`. */
const SCREENSHOTS = 'tests/browser/screenshots.test.ts';

/** The model runs in `npm test` for a few lives, beside the faults for many. */
const MODEL = 'tests/integration/delivery-model/delivery-model.test.ts';

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
    // Node loads the built pages, as in production.
    server: { deps: { external: [/\/dist\/server\//] } },
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
          globalSetup: 'tests/support/global-site.ts',
          testTimeout: SLOW,
          hookTimeout: SLOW,
        },
      },
      {
        extends: true,
        test: {
          name: 'faults',
          ...SECOND_TRY,
          include: ['tests/faults/**/*.test.ts', MODEL],
          globalSetup: 'tests/support/global-postgres.ts',
          testTimeout: SLOWER,
          hookTimeout: SLOW,
        },
      },
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
