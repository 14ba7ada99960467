import type { FastifyInstance } from 'fastify';
import { serveStaticFiles } from '../../server/http/static-files.ts';
import { readBuiltAssets } from '../../server/ssr/document-assets.ts';
import { loadBuiltPages } from '../../server/ssr/render-document.ts';

/** Loads the built pages, which the web application needs besides its settings. */
export const loadFrontEnd = async () => ({
  renderDocument: await loadBuiltPages(await readBuiltAssets()),
  serveAssets: (app: FastifyInstance) => serveStaticFiles(app),
  isBuilt: true,
});

/** An overload monitor that never reports overload, because the tests' own work delays the event loop. */
export const neverOverloaded = { isOverloaded: () => false };
