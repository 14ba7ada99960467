import { runCommand } from './processes.ts';
import { findSiteEnvironment } from './site-environment.ts';

/** The operator's tool, for the site that runs here unless the environment names a database. */
const environment = await findSiteEnvironment();
process.exitCode = await runCommand(process.execPath, ['ops/main.ts', ...process.argv.slice(2)], environment);
if (process.exitCode === 1 && !environment.DATABASE_URL && !environment.DATABASE_URL_FILE) {
  console.error('No site runs here: start one (`npm run demo`), or set DATABASE_URL.');
}
