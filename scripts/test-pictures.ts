import { parseArgs } from 'node:util';
import { ensureBuilt } from './build.ts';
import { ensurePrerequisites } from './prerequisites.ts';
import { runMain } from './run-step.ts';
import { runVitest } from './run-vitest.ts';

await runMain(async () => {
  const { values } = parseArgs({ options: { update: { type: 'boolean', default: false } } });
  await ensurePrerequisites(['chromium-headless-shell']);
  await ensureBuilt();

  return runVitest(['run', '--project', 'pictures'], { UPDATE_SCREENSHOTS: String(values.update) });
});
