import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from './build.ts';
import { ensurePrerequisites } from './prerequisites.ts';
import { projectRoot } from './processes.ts';
import { runMain } from './run-step.ts';
import { runVitest } from './run-vitest.ts';

const REPORT = '.data/pictures/index.html';

await runMain(async () => {
  const { values } = parseArgs({ options: { update: { type: 'boolean', default: false } } });
  await ensurePrerequisites(['chromium-headless-shell']);
  await ensureBuilt();
  const report = join(projectRoot, REPORT);
  // Removes an earlier report, because a run that fails early writes none.
  await rm(report, { force: true });
  const exitCode = await runVitest(['run', '--project', 'pictures'], { UPDATE_SCREENSHOTS: String(values.update) });
  if (existsSync(report)) console.log(`What changed, side by side: ${REPORT}`);
  else if (exitCode === 0) console.log('Nothing changed.');

  return exitCode;
});
