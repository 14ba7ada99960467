import type { FastifyInstance, FastifyReply } from 'fastify';
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
export async function pageRoutes(app: FastifyInstance, { pages, pagePaths }: PageRouteOptions): Promise<void> {
  const sendNotFound = async (reply: FastifyReply) =>
    reply.code(404).sendCached(await pages.renderNotFound(), headers);

  app.get('/*', async (request, reply) => {
    const resolved = resolvePage(request.url, pagePaths);
    if (resolved.kind === 'not-found') {
      if (request.url.startsWith(apiPrefix)) throw new AppError('not-found', 'No such call.');

      return sendNotFound(reply);
    }
    if (resolved.kind === 'redirect') return reply.redirect(resolved.location, resolved.status);

    return reply.sendCached(await pages.renderCached(resolved.location), headers);
  });
}
