import { createInterface } from 'node:readline';
import { migrationSource } from '../../migrations/migration-source.ts';
import { migrateDatabase } from '../../shared/node/database/migrate.ts';

/*
 * Migrates each database whose URL it reads, a line each, and writes `done`: a starter that is ready, so
 * that several begin at the same moment. An error ends it, as it ends the real one.
 */
for await (const url of createInterface(process.stdin)) {
  await migrateDatabase(url, migrationSource);
  process.stdout.write('done\n');
}
