import { createInterface } from 'node:readline';
import { migrationSource } from '../../migrations/migration-source.ts';
import { migrateDatabase } from '../../shared/node/database/migrate.ts';

/*
 * Reads database URLs, one per line, migrates each database and writes `done`. Tests start several of these processes in
 * advance, so that their migrations begin at the same moment. The process exits on an error, as the real migrator does.
 */
for await (const url of createInterface(process.stdin)) {
  await migrateDatabase(url, migrationSource);
  process.stdout.write('done\n');
}
