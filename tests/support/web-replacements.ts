import type { FastifyInstance } from 'fastify';
import { serveStaticFiles } from '../../server/http/static-files.ts';
import { readBuiltAssets } from '../../server/ssr/document-assets.ts';
import { loadBuiltPages } from '../../server/ssr/render-document.ts';

/** What the web application is made of beside its settings: the built pages. */
export const loadFrontEnd = async () => ({
  renderDocument: await loadBuiltPages(await readBuiltAssets()),
  serveAssets: (app: FastifyInstance) => serveStaticFiles(app),
  isBuilt: true,
});

/** No load: that of the tests is not the site's. */
export const webReplacements = { load: { isOverloaded: () => false } };
