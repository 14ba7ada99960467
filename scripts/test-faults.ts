import { randomInt } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from './build.ts';
import { ensurePrerequisites } from './prerequisites.ts';
import { projectRoot } from './processes.ts';
import { runMain } from './run-step.ts';
import { runVitest } from './run-vitest.ts';

const MAX_SEED = 2 ** 31;
const MODEL_RUNS = '500';

function readNumber(text: string): number {
  if (!/^\d{1,10}$/.test(text) || Number(text) > MAX_SEED) {
    throw new Error('Usage: npm run test:faults -- [--rounds N] [--seed N] [--row N]...');
  }

  return Number(text);
}

function readArguments() {
  const { values } = parseArgs({
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

/** Checks that each row has a test, because Vitest succeeds even if no test matches. @throws if a row has none */
async function requireRows(rows: readonly number[]): Promise<void> {
  const folder = join(projectRoot, 'tests', 'faults');
  const files = (await readdir(folder)).filter((name) => name.endsWith('.test.ts'));
  const sources = (await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))).join('');
  const missing = rows.find((row) => !sources.includes(`faultRow(${row}, `));
  if (missing !== undefined) throw new Error(`There is no test for row ${missing} in tests/faults.`);
}

await runMain(async () => {
  const { rounds, seed, rows } = readArguments();
  await requireRows(rows);
  await ensurePrerequisites([
    ...(['chromium-headless-shell', 'redis-server', 'caddy', 'faketime'] as const),
    ...(['openssl', 'postgresql', 'prometheus', 'restic'] as const),
  ]);
  await ensureBuilt();
  console.log(`Seed ${seed}, ${rounds} round(s). Each test's name ends with the seed that repeats it.`);
  const chosen = rows.length > 0 ? ['-t', `row (?:${rows.join('|')}):`] : [];

  return runVitest(['run', '--project', 'faults', '--reporter', 'verbose', ...chosen], {
    FAULT_ROUNDS: String(rounds),
    FAULT_SEED: String(seed),
    MODEL_RUNS: process.env['MODEL_RUNS'] ?? MODEL_RUNS,
  });
});
