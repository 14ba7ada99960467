import { startWeb } from '../../server/start-web.ts';
import { loadWebConfig } from '../../shared/node/config/config.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { exitOnFailure } from '../../shared/node/process/process.ts';
import { loadFrontEnd, neverOverloaded } from './web-replacements.ts';

/** Starts web as `server/main.ts` does, except that it never counts as overloaded. */
await exitOnFailure(async () => {
  const config = loadWebConfig();
  await startWeb(config, createLogger({ level: config.logLevel, process: 'web' }), await loadFrontEnd(), neverOverloaded);
});
