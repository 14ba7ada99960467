import { defineConfig } from 'vitest/config';

/** Real servers start and stop in these; a hung one must not hang the run. */
const SLOW = 120_000;

/** A fault may have to be outlived several times, on a machine that does other things too. */
const SLOWER = 240_000;

export default defineConfig({
  test: {
    // Two cores: more files at once would only make each other's waiting longer.
    maxWorkers: 2,
    // A snapshot that is missing fails; `-u` writes it.
    update: 'none',
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{bench,client,server,shared,jobs,ops,scripts}/**/*.test.ts', 'tests/unit/**/*.test.ts'],
        },
      },
      {
        test: {
          name: 'integration',
          include: ['tests/integration/**/*.test.ts'],
          // Node loads the built pages, as in production.
          server: { deps: { external: [/\/dist\/server\//] } },
          globalSetup: 'tests/support/global-postgres.ts',
          testTimeout: SLOW,
          hookTimeout: SLOW,
        },
      },
      {
        test: {
          name: 'faults',
          include: ['tests/faults/**/*.test.ts'],
          globalSetup: 'tests/support/global-postgres.ts',
          testTimeout: SLOWER,
          hookTimeout: SLOW,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['tests/browser/**/*.test.ts'],
          globalSetup: 'tests/support/global-postgres.ts',
          testTimeout: SLOW,
          hookTimeout: SLOW,
        },
      },
    ],
  },
});
