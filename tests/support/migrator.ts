import {
  startProcess,
  type Environment,
  type ProcessPlace,
  type SiteProcess,
} from './site-process.ts';
import { waitFor } from './wait-for.ts';

/** Starts this version's migrator, or that of the version in `place`. */
export const startMigrator = (settings: Environment, place?: ProcessPlace): SiteProcess =>
  startProcess('migrations/main.ts', settings, place);

/** Waits until a migrator exits. Returns its exit code and its output. */
export async function finishMigrator(migrator: SiteProcess) {
  await waitFor('the migrator to end', migrator.hasExited);

  return { exitCode: await migrator.stop(), output: migrator.output() };
}

/** Runs the migrations until they succeed or fail. */
export const runMigrator = (settings: Environment, place?: ProcessPlace) =>
  finishMigrator(startMigrator(settings, place));
