import { defineConfig } from 'vitest/config';
import { contentModules } from './scripts/vite/content-modules.ts';

/** Timeout for tests that start and stop real servers, in milliseconds. A hung server must not block the run. */
const SLOW = 120_000;

/**
 * Test files share imported modules, which makes unit tests a third faster. A test that changes a global, such as the
 * clock or an environment variable, must restore it.
 */
const SHARED_MODULES = { isolate: false };

/**
 * Tests with real processes or a browser may fail on a busy machine, so they are retried once. Vitest's report marks
 * retried tests.
 */
const SECOND_TRY = { retry: 1 };

/** This file takes a minute and has its own command: `npm run test:pictures`. */
const SCREENSHOTS = 'tests/browser/screenshots.test.ts';

/** `npm test` runs the delivery model for a few random lives, `npm run test:faults` for many. */
const MODEL = 'tests/integration/delivery-model/delivery-model.test.ts';

/** Timeout for fault tests, in milliseconds. They may wait for several recoveries on a busy machine. */
const SLOWER = 240_000;

export default defineConfig({
  plugins: [contentModules()],
  test: {
    // Twice the cores of a small machine, because tests mostly wait for processes, mails or pages.
    maxWorkers: 4,
    allowOnly: false,
    // A missing snapshot fails. `-u` writes it.
    update: 'none',
    // Node loads the built pages, as in production.
    server: { deps: { external: [/\/dist\/server\//] } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          ...SHARED_MODULES,
          // Runs after the other projects. Mixed with them, each file would start its own process.
          sequence: { groupOrder: 1 },
          // Some tests start a process, which can take seconds on a busy machine.
          testTimeout: 30_000,
          include: ['{client,server,shared,jobs,ops,scripts}/**/*.test.ts', 'tests/unit/**/*.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          // One project for both kinds, because Vitest starts a new process, without loaded modules, for each project.
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
