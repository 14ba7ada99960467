import { spawnGuarded } from './processes.ts';
import { findSiteEnvironment } from './site-environment.ts';

/** Runs the operator's tool against the running site, unless the environment names a database. */
const env = await findSiteEnvironment();
const tool = spawnGuarded(process.execPath, ['ops/main.ts', ...process.argv.slice(2)], {
  env,
  detached: false,
  stdio: 'inherit',
});
// The tool receives Ctrl-C too and decides how to exit.
process.on('SIGINT', () => undefined);
tool.on('exit', (exitCode) => {
  process.exitCode = exitCode ?? 1;
  if (exitCode === 1 && !env.DATABASE_URL && !env.DATABASE_URL_FILE) {
    console.error('No site is running here. Start one (`npm run demo`), or set DATABASE_URL.');
  }
});
