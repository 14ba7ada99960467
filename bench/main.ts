import { join } from 'node:path';
import { projectRoot, runCommand } from '../scripts/processes.ts';

/** In the order of the report; each in a process of its own, so that none warms the next. */
const PARTS = ['pages', 'contact', 'jobs', 'start', 'memory', 'growth', 'lighthouse'];

for (const part of PARTS) {
  const exitCode = await runCommand(
    process.execPath,
    [join(projectRoot, 'bench', `${part}.ts`)],
    process.env,
  );
  if (exitCode !== 0) process.exitCode = 1;
  // A signal is meant for all of them.
  if (exitCode > 128) break;
}
