import { loadWebConfig } from '../shared/node/config/config.ts';
import { warnOfRemovedSettings } from '../shared/node/config/known-names.ts';
import { createLogger } from '../shared/node/logging/logger.ts';
import { exitOnFailure } from '../shared/node/process/process.ts';
import { readBuiltAssets } from './ssr/document-assets.ts';
import { loadBuiltPages, logConsoleWarnings } from './ssr/render-document.ts';
import { startWeb } from './start-web.ts';
import { serveStaticFiles } from './http/static-files.ts';

await exitOnFailure(async () => {
  const config = loadWebConfig();
  const logger = createLogger({ level: config.logLevel, process: 'web' });
  warnOfRemovedSettings(logger);
  logConsoleWarnings((text) => logger.warn({ source: 'console' }, text));

  await startWeb(config, logger, {
    renderDocument: await loadBuiltPages(await readBuiltAssets()),
    serveAssets: (app) => serveStaticFiles(app),
    isBuilt: true,
  });
});
