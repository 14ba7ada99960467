import { join } from 'node:path';
import mdx from '@mdx-js/rollup';
import tableOfContents from '@stefanprobst/rehype-extract-toc';
import exportTableOfContents from '@stefanprobst/rehype-extract-toc/mdx';
import react from '@vitejs/plugin-react';
import rehypeSlug from 'rehype-slug';
import remarkFrontmatter from 'remark-frontmatter';
import remarkGfm from 'remark-gfm';
import remarkMdxFrontmatter from 'remark-mdx-frontmatter';
import type { PreRenderedAsset } from 'rollup';
import { createLogger, defineConfig, type Plugin } from 'vite';
import { imagetools } from 'vite-imagetools';
import ssr from 'vite-plugin-ssr/plugin';
import { contentFolder } from './scripts/content/load-content.ts';
import { nameClass } from './scripts/vite/class-names.ts';
import { contentModules } from './scripts/vite/content-modules.ts';
import { criticalStyles } from './scripts/vite/critical-styles.ts';
import { iconSprite } from './scripts/vite/icon-sprite.ts';
import { readPictureDirectives } from './scripts/vite/picture-directives.ts';
import { siteFonts } from './scripts/vite/site-fonts.ts';
import { siteIcons } from './scripts/vite/site-icons.ts';
import { passTitleLevels } from './scripts/vite/title-levels.ts';
import { buildFolder } from './shared/node/content/build-folder.ts';

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

/** Loads colors and fonts with the first script, because vite-plugin-ssr links only style sheets that are files. */
const loadVirtualStyles: Plugin = {
  name: 'load-virtual-styles',
  apply: 'serve',
  transform: (code, id) =>
    id.endsWith('/client/start.ts') ? `import 'virtual:fonts.css';import 'virtual:brand.css';${code}` : undefined,
};

/**
 * vite-plugin-ssr adds modules to the browser's build that import the styles of all that the server renders, and with
 * them every page's scripts would have the names of all classes. Our start module imports all screens anyway.
 */
const emptyExtractedModules: Plugin = {
  name: 'empty-extracted-modules',
  apply: 'build',
  enforce: 'pre',
  load: (id) => (/[?&]extractAssets(&|$)/.test(id) ? '' : undefined),
};

/**
 * The oldest browsers of Baseline "widely available" in November 2026, as `npx browserslist 'baseline widely available'`
 * lists them. Scripts are written for these, and styles get the prefixes that they need.
 */
const OLDEST_BROWSERS = ['chrome125', 'edge125', 'firefox126', 'safari17.5', 'ios17.5'] as const;

/** Keeps the styles of what only the server renders: the browser's build drops the names of their classes. */
const keepStyles: Plugin = {
  name: 'keep-styles',
  apply: 'build',
  enforce: 'post',
  transform: (_code, id) => (id.endsWith('.module.css') ? { moduleSideEffects: 'no-treeshake' } : undefined),
};

/** Without the advice about a glob option that vite-plugin-ssr uses. */
const logger = createLogger('warn');
const { warn } = logger;
logger.warn = (message, options) => {
  if (!message.includes('glob option "as"')) warn(message, options);
};

/**
 * The scripts' chunks by their modules, the first match: what starts a page, what home, the solutions and the
 * about page consist of, what every page needs, and what forms share. Each screen and each article's text is one more.
 */
const chunks = {
  forms: /\/client\/features\/forms\//,
  start: /preload-helper|\/client\/(start|app\/(page-data|storage|visit-source|wake-conditions))\.ts/,
  showcase:
    /\/client\/(components\/(accordion|background-video|point-grid|testimonial-band)|features\/vignettes\/vignette\.|screens\/solution\/)/,
  app: /\/client\/(app|components)\/|\/lucide-react\/dist\/esm\/(?!icons)|\/shared\/(content\/static-pages|time)\.ts/,
} as const;

const nameChunk = (id: string): string | undefined =>
  Object.entries(chunks).find(([, modules]) => modules.test(id))?.[0];

/** Names pictures by their bytes. Of two copies, the builds of browser and server keep one, each by another's name. */
const nameAsset = ({ names: [name = ''] }: PreRenderedAsset): string =>
  `assets/static/${/\.(avif|webp|jpe?g)$/.test(name) ? 'picture' : '[name]'}.[hash][extname]`;

export default defineConfig(({ command, isSsrBuild }) => ({
  customLogger: logger,
  root: 'client',
  // Served at the root as they are.
  publicDir: join(contentFolder, 'static'),
  plugins: [
    {
      enforce: 'pre',
      ...mdx({
        remarkPlugins: [
          remarkFrontmatter,
          remarkMdxFrontmatter,
          remarkGfm,
          passTitleLevels,
        ],
        rehypePlugins: [rehypeSlug, tableOfContents, exportTableOfContents],
        // The content policy allows no `style` attributes.
        tableCellAlignToStyle: false,
      }),
    },
    react(),
    imagetools({ defaultDirectives: readPictureDirectives }),
    siteFonts(),
    siteIcons(),
    iconSprite(),
    contentModules(),
    criticalStyles(),
    emptyExtractedModules,
    keepStyles,
    ssr(),
    callStylesScripts,
    loadVirtualStyles,
  ],
  css: {
    // Class names are in every document: short ones where nobody reads them.
    modules: command === 'build' ? { generateScopedName: nameClass } : {},
  },
  build: {
    outDir: buildFolder,
    // The build has begun with the owner's words there (scripts/build.ts).
    emptyOutDir: false,
    target: [...OLDEST_BROWSERS],
    // The content policy allows images from our own origin only, not `data:`.
    assetsInlineLimit: 0,
    // One sheet for all pages: the first view's rules are in the documents, the rest is in the
    // browser's cache from the first page on.
    cssCodeSplit: false,
    // Every browser we build for has modulepreload; and what a screen needs besides its own file is
    // there already, so nothing has to be listed.
    modulePreload: { polyfill: false, resolveDependencies: () => [] },
    // For visitors a twentieth smaller than esbuild makes them; the server starts as fast with either.
    minify: isSsrBuild ? 'esbuild' : 'terser',
    terserOptions: { module: true, ecma: 2020, compress: { passes: 2 } },
    rollupOptions: {
      // vite-plugin-ssr renders documents; the browser starts with this file (decision 008).
      input: command === 'build' ? { start: 'client/start.ts' } : {},
      output: { assetFileNames: nameAsset, ...(isSsrBuild ? {} : { manualChunks: nameChunk }) },
    },
  },
  // The log of an error names the components it passed.
  esbuild: isSsrBuild ? { minifyIdentifiers: false } : {},
  // All of React and the router is bundled into the server build in its production form, whatever
  // NODE_ENV the process runs with; for servers Vite would leave the choice, and both forms, in it.
  define: isSsrBuild ? { 'process.env.NODE_ENV': JSON.stringify('production') } : {},
  ssr: command === 'build' ? { noExternal: true, external: ['vite-plugin-ssr'] } : {},
  // The owner's articles may lie in a folder that has no packages.
  resolve: { dedupe: ['react'] },
  // `shared/` lies beside the Vite root.
  server: { fs: { allow: ['..', contentFolder] } },
}));
