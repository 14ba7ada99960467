import { loadConfig, type Config } from '../../shared/node/config/config.ts';
import type { Environment } from '../../shared/node/config/settings.ts';
import { withDatabase, type Database } from '../../shared/node/database/database.ts';
import { SiteError } from '../../shared/node/logging/describe-error.ts';
import { createLogger, type Logger } from '../../shared/node/logging/logger.ts';
import type { Terminal } from './terminal.ts';

/** An expected error. The tool prints only its message and exits with code 1. */
export class OpsError extends SiteError {
  override readonly name = 'OpsError';
}

/** An error that the command has already reported. The tool exits with code 1. */
export class ReportedError extends SiteError {
  override readonly name = 'ReportedError';
}

export interface CommandContext {
  /** Settings and PATH. If undefined, the process's own are used. */
  readonly environment: Environment | undefined;
  readonly terminal: Terminal;
  readonly listenForStop: () => AbortSignal;
}

export interface Session {
  readonly config: Config;
  readonly database: Database;
  /** Logs to standard error, so that standard output contains only results. */
  readonly logger: Logger;
  readonly terminal: Terminal;
  readonly listenForStop: CommandContext['listenForStop'];
}

export const createOpsLogger = ({ logLevel }: Config, { stderr }: Terminal): Logger =>
  createLogger({ level: logLevel, process: 'ops', stream: stderr });

/** Returns a command's action, which loads the settings and runs the command with the database. */
export function withSession<Parameters extends unknown[]>(
  { environment, terminal, listenForStop }: CommandContext,
  run: (session: Session, ...parameters: Parameters) => Promise<void>,
): (...parameters: Parameters) => Promise<void> {
  return async (...parameters) => {
    const config = loadConfig(environment);
    const logger = createOpsLogger(config, terminal);
    await withDatabase(config.databaseUrl, 'ops', (database) =>
      run({ config, database, logger, terminal, listenForStop }, ...parameters),
    );
  };
}
