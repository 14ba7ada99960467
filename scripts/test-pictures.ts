import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from './build.ts';
import { ensurePrerequisites } from './prerequisites.ts';
import { projectRoot } from './processes.ts';
import { runVitest } from './run-vitest.ts';

const REPORT = '.data/pictures/index.html';

/** Compares every page and state with its reference screenshot, or writes the references anew. */
async function runComparison(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { update: { type: 'boolean', default: false } } });
  await ensurePrerequisites(['chromium-headless-shell']);
  await ensureBuilt();
  const report = join(projectRoot, REPORT);
  // Of an earlier run; one that fails early writes none.
  await rm(report, { force: true });
  const exitCode = await runVitest(['run', '--project', 'pictures'], { UPDATE_SCREENSHOTS: String(values.update) });
  if (existsSync(report)) console.log(`What changed, side by side: ${REPORT}`);
  else if (exitCode === 0) console.log('Nothing changed.');

  return exitCode;
}

try {
  process.exitCode = await runComparison(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
