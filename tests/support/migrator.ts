import {
  startProcess,
  type Environment,
  type ProcessPlace,
  type SiteProcess,
} from './site-process.ts';
import { waitFor } from './wait-for.ts';

/** Starts the process that migrates, of this version or of that in `place`. */
export const startMigrator = (settings: Environment, place?: ProcessPlace): SiteProcess =>
  startProcess('migrations/main.ts', settings, place);

/** Waits until a migrator has ended; resolves to its exit code and what it wrote. */
export async function finishMigrator(migrator: SiteProcess) {
  await waitFor('the migrator to end', migrator.hasExited);

  return { exitCode: await migrator.stop(), output: migrator.output() };
}

/** Runs the migrations to their end, good or bad. */
export const runMigrator = (settings: Environment, place?: ProcessPlace) =>
  finishMigrator(startMigrator(settings, place));
