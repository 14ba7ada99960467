import { createLogger } from '../../shared/node/logging/logger.ts';

/** A production logger whose lines are stored in memory. */
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
