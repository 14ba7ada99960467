import { loadConfig, type Config } from '../../shared/node/config/config.ts';
import { createDatabase, batchTimeouts, type Database } from '../../shared/node/database/database.ts';
import { createLogger, type Logger } from '../../shared/node/logging/logger.ts';

/** A fault that is told in its message's words alone, and ends the tool with code 1. */
export class OpsError extends Error {
  override readonly name = 'OpsError';
}

/** What a command works with. */
export interface Session {
  readonly config: Config;
  readonly database: Database;
  /** On standard error, so that the output is what was asked for. */
  readonly logger: Logger;
}

export const createOpsLogger = ({ logLevel }: Config): Logger =>
  createLogger({ level: logLevel, process: 'ops', fd: 2 });

/**
 * Makes the action of a command: reads the settings, opens the database, runs it, and closes.
 * @throws ConfigError, and what the command throws
 */
export function withSession<Parameters extends unknown[]>(
  run: (session: Session, ...parameters: Parameters) => Promise<void>,
): (...parameters: Parameters) => Promise<void> {
  return async (...parameters) => {
    const config = loadConfig();
    const database = createDatabase(config.databaseUrl, 'ops', batchTimeouts);

    try {
      await run({ config, database, logger: createOpsLogger(config) }, ...parameters);
    } finally {
      await database.destroy();
    }
  };
}
