import { createServer } from 'vite';
import { loadConfig } from '../shared/node/config/config.ts';
import { createLogger } from '../shared/node/logger.ts';
import { exitOnFailure } from '../shared/node/process.ts';
import { loadPagesFromSource } from './ssr/render-document.ts';
import { startWeb } from './start-web.ts';

/** The web process while developing: Vite in front of the routes, pages from their source. */
await exitOnFailure(async () => {
  const config = loadConfig();
  const logger = createLogger({ level: config.logLevel, process: 'web' });
  const vite = await createServer({ server: { middlewareMode: true }, appType: 'custom' });

  await startWeb(config, logger, {
    renderDocument: await loadPagesFromSource(logger),
    registerAssets: async (app) => {
      app.addHook('onRequest', (request, reply, done) => {
        vite.middlewares(request.raw, reply.raw, () => done());
      });
      app.addHook('onClose', () => vite.close());
    },
    hasSecurityHeaders: false,
  });
});
