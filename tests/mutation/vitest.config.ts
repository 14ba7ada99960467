import { defineConfig } from 'vitest/config';
import { mutationParts, needsDatabase } from './parts.ts';

const part = mutationParts.find(({ name }) => name === process.env['MUTATION_PART']);

/** Timeout in milliseconds. It stops tests that hang, but is long enough for a busy machine. */
const TEST_TIMEOUT = 20_000;

/** Provides the same values as the integration tests' global setup. They come from `run.ts`. */
const database = {
  provide: {
    postgresUrl: process.env['MUTATION_POSTGRES_URL'] ?? '',
    migratedTemplate: process.env['MUTATION_TEMPLATE'] ?? '',
  },
  setupFiles: ['tests/mutation/drop-databases.ts'],
  testTimeout: TEST_TIMEOUT,
  hookTimeout: TEST_TIMEOUT,
};

export default defineConfig({
  test: {
    include: [...(part?.tests ?? [])],
    isolate: false,
    ...(part && needsDatabase(part) && database),
  },
});
