import { createInterface } from 'node:readline';
import { migrationSource } from '../../migrations/migration-source.ts';
import { migrateDatabase } from '../../shared/node/database/migrate.ts';

/*
 * Reads database URLs, one per line, migrates each database and writes `done`. The process is started in advance, so
 * that several migrations begin at the same moment. It exits on an error, as the real one does.
 */
for await (const url of createInterface(process.stdin)) {
  await migrateDatabase(url, migrationSource);
  process.stdout.write('done\n');
}
