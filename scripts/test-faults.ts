import { randomInt } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from './build.ts';
import { ensurePrerequisites } from './prerequisites.ts';
import { projectRoot } from './processes.ts';
import { runVitest } from './run-vitest.ts';

const USAGE = 'Usage: npm run test:faults -- [--rounds N] [--seed N] [--row N]...';
const MAX_SEED = 2 ** 31;
const PREREQUISITES = [
  'chromium-headless-shell',
  'redis-server',
  'caddy',
  'faketime',
  'openssl',
  'postgresql',
  'postfix',
  'restic',
] as const;

function readNumber(text: string): number {
  if (!/^\d{1,10}$/.test(text) || Number(text) > MAX_SEED) throw new Error(USAGE);

  return Number(text);
}

function readArguments(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '1' },
      seed: { type: 'string', default: String(randomInt(MAX_SEED)) },
      row: { type: 'string', multiple: true, default: [] },
    },
  });

  return {
    rounds: Math.max(1, readNumber(values.rounds)),
    seed: readNumber(values.seed),
    rows: values.row.map(readNumber),
  };
}

/** A row that isn't there would leave out all tests, which Vitest takes for a success. @throws when one isn't */
async function requireRows(rows: readonly number[]): Promise<void> {
  const folder = join(projectRoot, 'tests', 'faults');
  const files = (await readdir(folder)).filter((name) => name.endsWith('.test.ts'));
  const sources = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  for (const row of rows) {
    const isThere = sources.some((source) => source.includes(`faultRow(${row}, `));
    if (!isThere) throw new Error(`There is no test of row ${row} in tests/faults.`);
  }
}

/** Runs the fault matrix, or some of its rows, as often as asked. */
async function runFaults(args: readonly string[]): Promise<number> {
  const { rounds, seed, rows } = readArguments(args);
  await requireRows(rows);
  await ensurePrerequisites(PREREQUISITES);
  await ensureBuilt();
  console.log(`Seed ${seed}, ${rounds} round(s). Each test's name ends with the seed that repeats it.`);
  const chosen = rows.length > 0 ? ['-t', `row (?:${rows.join('|')}):`] : [];

  return runVitest(['run', '--project', 'faults*', '--reporter', 'verbose', ...chosen], {
    FAULT_ROUNDS: String(rounds),
    FAULT_SEED: String(seed),
  });
}

try {
  process.exitCode = await runFaults(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
