import { defineConfig } from 'vitest/config';
import { mutationParts, needsDatabase } from './parts.ts';

const part = mutationParts.find(({ name }) => name === process.env['MUTATION_PART']);

/** In milliseconds: a test that a fault makes wait for ever fails after it, and none for a busy machine's slowness. */
const TEST_TIMEOUT = 20_000;

/** What `run.ts` says, as the integration tests' global setup does. */
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
