import { createDatabase } from '../../shared/node/database/database.ts';
import { tryWithAdvisoryLock } from '../../shared/node/database/advisory-lock.ts';

/** Holds the advisory lock LOCK, as a sweep does, until the process ends. */
await tryWithAdvisoryLock(
  createDatabase(process.env['DATABASE_URL'] ?? '', 'worker'),
  Number(process.env['LOCK']),
  async () => {
    process.stdout.write('held');
    await new Promise(() => setInterval(() => undefined, 1_000));
  },
);
