import { createLogger } from '../../shared/node/logging/logger.ts';

/** Creates a production logger that stores its lines in memory. */
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
