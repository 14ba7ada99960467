import { createLogger } from '../../shared/node/logging/logger.ts';

/** A logger as in production, whose lines are kept in memory. */
export function createMemoryLogger(process: 'web' | 'worker', level: string) {
  let lines = '';
  const stream = {
    write: (line: string) => {
      lines += line;
    },
  };

  return {
    logger: createLogger({ level, process, stream }),
    /** Every line so far. */
    read: () => lines,
  };
}
