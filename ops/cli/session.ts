import { loadConfig, type Config } from '../../shared/node/config/config.ts';
import { createDatabase, batchTimeouts, type Database } from '../../shared/node/database/database.ts';
import { SiteError } from '../../shared/node/logging/describe-error.ts';
import { createLogger, type Logger } from '../../shared/node/logging/logger.ts';

/** An error whose message alone is printed; the tool exits with code 1. */
export class OpsError extends SiteError {
  override readonly name = 'OpsError';
}

/** What a command needs. */
export interface Session {
  readonly config: Config;
  readonly database: Database;
  /** Logs to standard error, so that standard output has the results only. */
  readonly logger: Logger;
}

/** A logger to standard error. */
export const createOpsLogger = ({ logLevel }: Config): Logger =>
  createLogger({ level: logLevel, process: 'ops', fd: 2 });

/**
 * Creates the action of a command: loads the settings, opens the database, runs the command, closes it.
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
