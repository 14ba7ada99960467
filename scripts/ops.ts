import { runCommand } from './processes.ts';
import { findSiteEnvironment } from './site-environment.ts';

/** The operator's tool, for the site that runs here unless the environment names a database. */
process.exitCode = await runCommand(
  process.execPath,
  ['ops/main.ts', ...process.argv.slice(2)],
  await findSiteEnvironment(),
);
