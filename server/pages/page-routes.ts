import type { FastifyReply } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { apiPrefix } from '../../shared/paths.ts';
import { AppError } from '../http/errors.ts';
import { HTML_TYPE, type PageRenderer } from './page-renderer.ts';
import { resolvePage } from './resolve-page.ts';

const headers = {
  contentType: HTML_TYPE,
  cacheControl: 'public, max-age=0, must-revalidate',
};

interface PageRouteOptions {
  readonly pages: PageRenderer;
  /** Every path that has a page, in its canonical form. */
  readonly pagePaths: ReadonlySet<string>;
}

/** Every page by one catch-all route; what isn't a page gets the not-found page with 404. */
export const pageRoutes = fastifyPlugin<PageRouteOptions>(
  async (app, { pages, pagePaths }) => {
    const sendNotFound = async (reply: FastifyReply) =>
      reply.code(404).sendCached(await pages.renderNotFound(), headers);

    app.get('/*', { config: { isBounded: true } }, async (request, reply) => {
      const resolved = resolvePage(request.url, pagePaths);
      if (resolved.kind === 'not-found') {
        if (request.url.startsWith(apiPrefix)) throw new AppError('not-found', 'No such call.');

        return sendNotFound(reply);
      }
      if (resolved.kind === 'redirect') return reply.redirect(resolved.location, resolved.status);

      return reply.sendCached(await pages.renderCached(resolved.location), headers);
    });
  },
  { name: 'page-routes', encapsulate: true, dependencies: ['error-handler'] },
);
