import { createInterface } from 'node:readline';
import { migrationSource } from '../../migrations/migration-source.ts';
import { migrateDatabase } from '../../shared/node/database/migrate.ts';

/*
 * Migrates each database whose URL it reads, a line each, and writes `done`: a starter that is ready, so
 * that several begin at the same moment. It exits on an error, as the real one does.
 */
for await (const url of createInterface(process.stdin)) {
  await migrateDatabase(url, migrationSource);
  process.stdout.write('done\n');
}
