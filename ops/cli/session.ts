import { loadConfig, type Config } from '../../shared/node/config/config.ts';
import type { Environment } from '../../shared/node/config/settings.ts';
import { withDatabase, type Database } from '../../shared/node/database/database.ts';
import { SiteError } from '../../shared/node/logging/describe-error.ts';
import { createLogger, type Logger } from '../../shared/node/logging/logger.ts';
import type { Terminal } from './terminal.ts';

/** An error whose message alone is printed; the tool exits with code 1. */
export class OpsError extends SiteError {
  override readonly name = 'OpsError';
}

/** An error about which the command has printed everything already; the tool exits with code 1. */
export class ReportedError extends SiteError {
  override readonly name = 'ReportedError';
}

export interface CommandContext {
  /** Settings, and where programs are; undefined: the process's own. */
  readonly environment: Environment | undefined;
  readonly terminal: Terminal;
  readonly listenForStop: () => AbortSignal;
}

export interface Session {
  readonly config: Config;
  readonly database: Database;
  /** Logs to standard error, so that standard output has the results only. */
  readonly logger: Logger;
  readonly terminal: Terminal;
  readonly listenForStop: CommandContext['listenForStop'];
}

export const createOpsLogger = ({ logLevel }: Config, { stderr }: Terminal): Logger =>
  createLogger({ level: logLevel, process: 'ops', stream: stderr });

/** Creates a command's action: loads the settings, opens the database, runs the command, closes it. */
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
