import { createServer } from 'vite';
import { loadWebConfig } from '../shared/node/config/config.ts';
import { createLogger } from '../shared/node/logging/logger.ts';
import { exitOnFailure } from '../shared/node/process/process.ts';
import { loadPagesFromSource, logConsoleWarnings } from './ssr/render-document.ts';
import { startWeb } from './start-web.ts';

await exitOnFailure(async () => {
  const config = loadWebConfig();
  const logger = createLogger({ level: config.logLevel, process: 'web' });
  logConsoleWarnings((text) => logger.warn({ source: 'console' }, text));

  await startWeb(config, logger, {
    isBuilt: false,
    renderDocument: await loadPagesFromSource(),
    serveAssets: async (app) => {
      const vite = await createServer({
        // Bundling would create a temporary file. Deleting it makes `node --watch` restart this process endlessly.
        configLoader: 'native',
        // Hot reload uses the site's own port, so that two sites can run at the same time.
        server: { middlewareMode: true, hmr: { server: app.server } },
        appType: 'custom',
      });
      app.addHook('onRequest', (request, reply, done) => {
        vite.middlewares(request.raw, reply.raw, () => done());
      });
      app.addHook('onClose', () => vite.close());
    },
  });
});
