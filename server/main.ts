import { loadWebConfig } from '../shared/node/config/config.ts';
import { createLogger } from '../shared/node/logger.ts';
import { exitOnFailure } from '../shared/node/process.ts';
import { readBuiltAssets } from './ssr/document-assets.ts';
import { loadBuiltPages } from './ssr/render-document.ts';
import { startWeb } from './start-web.ts';
import { registerStaticFiles } from './static-files.ts';

/** The web process: the built site. */
await exitOnFailure(async () => {
  const config = loadWebConfig();
  const logger = createLogger({ level: config.logLevel, process: 'web', gathersLines: true });

  await startWeb(config, logger, {
    renderDocument: await loadBuiltPages(await readBuiltAssets(), logger),
    registerAssets: registerStaticFiles,
    isBuilt: true,
  });
});
