import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../../shared/node/logging/logger.ts';

/** A logger as in production that writes to a file of its own. */
export async function createFileLogger(process: 'web' | 'worker', level: string) {
  const folder = await mkdtemp(join(tmpdir(), 'test-log-'));
  const file = join(folder, 'log');
  const fd = openSync(file, 'a');

  return {
    logger: createLogger({ level, process, fd }),
    /** Every line so far. */
    read: () => readFileSync(file, 'utf8'),
    close: async () => {
      closeSync(fd);
      await rm(folder, { recursive: true });
    },
  };
}
