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
import { setTitleLevels } from './scripts/vite/title-levels.ts';
import { buildFolder } from './shared/node/content/build-folder.ts';

/**
 * Sets the type of all style sheets in Vite's graph to `js`, because vite-plugin-ssr asserts it. Since Vite 6 an imported
 * style sheet (`@import`) has the type `asset`, and the next rendering would fail.
 */
const markStylesAsScripts: Plugin = {
  name: 'mark-styles-as-scripts',
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
 * Empties the modules that vite-plugin-ssr adds to the browser's build. They import the styles of everything the server
 * renders, so every page's scripts would contain the names of all classes. Our start module imports all screens anyway.
 */
const emptyExtractedModules: Plugin = {
  name: 'empty-extracted-modules',
  apply: 'build',
  enforce: 'pre',
  load: (id) => (/[?&]extractAssets(&|$)/.test(id) ? '' : undefined),
};

/**
 * The oldest browsers of Baseline "widely available" in November 2026, from `npx browserslist 'baseline widely available'`.
 * The build compiles scripts for these and adds the style prefixes they need.
 */
const OLDEST_BROWSERS = ['chrome125', 'edge125', 'firefox126', 'safari17.5', 'ios17.5'] as const;

/**
 * Keeps the styles of markup that only the server renders. Otherwise the browser's build would drop them, because its
 * scripts don't use their class names.
 */
const keepStyles: Plugin = {
  name: 'keep-styles',
  apply: 'build',
  enforce: 'post',
  transform: (_code, id) => (id.endsWith('.module.css') ? { moduleSideEffects: 'no-treeshake' } : undefined),
};

/** Omits the warning about a glob option that vite-plugin-ssr uses. */
const logger = createLogger('warn');
const { warn } = logger;
logger.warn = (message, options) => {
  if (!message.includes('glob option "as"')) warn(message, options);
};

/**
 * Module patterns by chunk. The first match wins. `forms` is shared by all forms, `start` starts a page, `showcase` is
 * used by home, solutions and the about page, and every page needs `app`. Each screen and each article's text also has
 * a chunk.
 */
const chunks = {
  forms: /\/client\/features\/forms\//,
  start: /preload-helper|\/client\/(start|app\/(page-data|storage|visit-source|hydration-triggers))\.ts/,
  showcase:
    /\/client\/(components\/(accordion|background-video|point-grid|testimonial-band)|features\/vignettes\/vignette\.|screens\/solution\/)/,
  app: /\/client\/(app|components)\/|\/lucide-react\/dist\/esm\/(?!icons)|\/shared\/(content\/static-pages|time)\.ts/,
} as const;

const nameChunk = (id: string): string | undefined =>
  Object.entries(chunks).find(([, modules]) => modules.test(id))?.[0];

/**
 * Names pictures by their hash only. Of two identical files the browser's and the server's builds each keep one, but may
 * keep different ones. With the files' own names the URLs would differ.
 */
const nameAsset = ({ names: [name = ''] }: PreRenderedAsset): string =>
  `assets/static/${/\.(avif|webp|jpe?g)$/.test(name) ? 'picture' : '[name]'}.[hash][extname]`;

export default defineConfig(({ command, isSsrBuild }) => ({
  customLogger: logger,
  root: 'client',
  // Files that are served unchanged at the site's root.
  publicDir: join(contentFolder, 'static'),
  plugins: [
    {
      enforce: 'pre',
      ...mdx({
        remarkPlugins: [
          remarkFrontmatter,
          remarkMdxFrontmatter,
          remarkGfm,
          setTitleLevels,
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
    markStylesAsScripts,
    loadVirtualStyles,
  ],
  css: {
    // The build shortens class names, because every document contains many.
    modules: command === 'build' ? { generateScopedName: nameClass } : {},
  },
  build: {
    outDir: buildFolder,
    // `buildInto` has already written the owner's content there (scripts/build.ts).
    emptyOutDir: false,
    target: [...OLDEST_BROWSERS],
    // The content policy allows images from our own origin only, not `data:`.
    assetsInlineLimit: 0,
    // One style sheet for all pages, which the browser caches on the first page. Documents inline the rules of their
    // first view.
    cssCodeSplit: false,
    // All target browsers support modulepreload. A screen's other chunks are already loaded, so none has to be listed.
    modulePreload: { polyfill: false, resolveDependencies: () => [] },
    // terser makes the browser's scripts 5% smaller than esbuild. The server starts equally fast with both.
    minify: isSsrBuild ? 'esbuild' : 'terser',
    terserOptions: { module: true, ecma: 2020, compress: { passes: 2 } },
    rollupOptions: {
      // The browser starts with this file instead of vite-plugin-ssr's entry (decision 008).
      input: command === 'build' ? { start: 'client/start.ts' } : {},
      output: { assetFileNames: nameAsset, ...(isSsrBuild ? {} : { manualChunks: nameChunk }) },
    },
  },
  // Keeps component names for error logs.
  esbuild: isSsrBuild ? { minifyIdentifiers: false } : {},
  // Bundles only the production versions of React and the router into the server build, whatever the process's NODE_ENV.
  // By default Vite bundles both versions for servers and chooses at run time.
  define: isSsrBuild ? { 'process.env.NODE_ENV': JSON.stringify('production') } : {},
  ssr: command === 'build' ? { noExternal: true, external: ['vite-plugin-ssr'] } : {},
  // The owner's articles may be in a folder without packages.
  resolve: { dedupe: ['react'] },
  // `shared/` is outside the Vite root.
  server: { fs: { allow: ['..', contentFolder] } },
}));
