import react from '@vitejs/plugin-react';
import { createLogger, defineConfig, type Plugin } from 'vite';
import ssr from 'vite-plugin-ssr/plugin';

/**
 * vite-plugin-ssr asserts that every style sheet in Vite's graph is of type `js`. One that another
 * `@import`s is of type `asset` since Vite 6, and the next rendering would fail.
 */
const callStylesScripts: Plugin = {
  name: 'call-styles-scripts',
  apply: 'serve',
  configureServer: ({ environments, middlewares }) => {
    middlewares.use((_request, _response, next) => {
      for (const [file, modules] of environments.client.moduleGraph.fileToModulesMap) {
        if (file.endsWith('.css')) for (const module of modules) module.type = 'js';
      }
      next();
    });
  },
};

/** Without the advice about a glob option that is vite-plugin-ssr's, not ours. */
const logger = createLogger('warn');
const { warn } = logger;
logger.warn = (message, options) => {
  if (!message.includes('glob option "as"')) warn(message, options);
};

export default defineConfig(({ command }) => ({
  customLogger: logger,
  root: 'client',
  plugins: [react(), ssr(), callStylesScripts],
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    target: 'es2022',
    // The content policy allows images from our own origin only, not `data:`.
    assetsInlineLimit: 0,
    // The preload polyfill would be one more script; every browser we build for has modulepreload.
    modulePreload: { polyfill: false },
  },
  // All of React and the router is bundled into the server build, so that the production form is
  // used whatever NODE_ENV the process runs with.
  ssr: command === 'build' ? { noExternal: true, external: ['vite-plugin-ssr'] } : {},
  // `shared/` lies beside the Vite root.
  server: { fs: { allow: ['..'] } },
}));
