import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { ensureBuilt } from '../../scripts/build.ts';
import { createPostgresServer } from '../../scripts/embedded-postgres.ts';
import { ensurePrerequisites, systemPath } from '../../scripts/prerequisites.ts';
import { createMigratedTemplate } from '../support/test-databases.ts';
import { mutationParts, needsDatabase, type MutationPart } from './parts.ts';

/** Plants faults in parts of the product, one at a time, and counts the faults that no test notices. */

const USAGE = `Usage: npm run test:mutation -- [PART]...\nParts: ${mutationParts.map(({ name }) => name).join(', ')}`;

/** Ignored by Git, lint and the image. */
const FOLDER = '.data/mutation';

/**
 * How much longer tests may take with a fault than without, in milliseconds. The limit is generous, so that a delay on
 * a busy machine doesn't count as a noticed fault. The tests' own timeouts stop endless waits sooner.
 */
const TIMEOUT = 300_000;

async function runPart({ name, mutate, excludedMutations = [] }: MutationPart): Promise<void> {
  process.env['MUTATION_PART'] = name;
  const stryker = new Stryker({
    mutate: [...mutate, '!**/*.test.ts'],
    mutator: { excludedMutations: [...excludedMutations] },
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'tests/mutation/vitest.config.ts', related: false },
    // Node and Vite strip types without checking them.
    disableTypeChecks: false,
    // Some tests measure time, and all tests share a PostgreSQL server whose databases are dropped after each file.
    concurrency: 1,
    timeoutMS: TIMEOUT,
    tempDirName: `${FOLDER}/${name}-sandbox`,
    ignorePatterns: ['.data', 'docs', 'tests/browser/screenshots'],
    // Only changes since the last run are tested again.
    incremental: true,
    incrementalFile: `${FOLDER}/${name}-results.json`,
    reporters: ['clear-text', 'progress', 'html'],
    clearTextReporter: { logTests: false, reportTests: false },
    htmlReporter: { fileName: `${FOLDER}/${name}.html` },
    thresholds: { high: 100, low: 90, break: 90 },
  });
  await stryker.runMutationTest();
}

/** Starts a server that outlives the processes Stryker kills. The tests get its URL through `vitest.config.ts`. */
async function startDatabaseServer(): Promise<() => Promise<void>> {
  const server = await createPostgresServer({
    dataFolder: await mkdtemp(join(tmpdir(), 'mutation-postgres-')),
    // The data isn't needed after the run.
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
  });
  await server.start();
  process.env['MUTATION_POSTGRES_URL'] = server.url;
  process.env['MUTATION_TEMPLATE'] = await createMigratedTemplate(server.url);

  return () => server.remove();
}

async function run(names: readonly string[]): Promise<void> {
  const parts = mutationParts.filter(({ name }) => names.length === 0 || names.includes(name));
  if (parts.length < names.length) throw new Error(USAGE);
  await ensurePrerequisites(['redis-server']);
  // Tests read the built content.
  await ensureBuilt();
  Object.assign(process.env, { NODE_ENV: 'test', PATH: systemPath });
  const stopServer = parts.some(needsDatabase) ? await startDatabaseServer() : async () => undefined;
  try {
    for (const part of parts) await runPart(part);
  } finally {
    await stopServer();
  }
}

await run(process.argv.slice(2));
