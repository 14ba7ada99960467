import { createDatabase } from '../../shared/node/database.ts';
import { runAlone } from '../../shared/node/run-alone.ts';

/** Holds the advisory lock LOCK, as a sweep does, until the process ends. */
await runAlone(
  createDatabase(process.env['DATABASE_URL'] ?? '', 'holder'),
  Number(process.env['LOCK']),
  async () => {
    process.stdout.write('held');
    await new Promise(() => setInterval(() => undefined, 1_000));
  },
);
