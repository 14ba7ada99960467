import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { apiPrefix } from '../../shared/paths.ts';
import { AppError } from '../http/errors.ts';
import { prepareCachedResponse } from '../http/response-cache.ts';
import type { PageRenderer } from './page-renderer.ts';
import { resolvePage } from './resolve-page.ts';

const headers = {
  contentType: 'text/html; charset=utf-8',
  cacheControl: 'public, max-age=0, must-revalidate',
};

/** Every page by one catch-all route; what isn't a page gets the not-found page with 404. */
export function registerPages(
  app: FastifyInstance,
  pages: PageRenderer,
  pagePaths: ReadonlySet<string>,
): void {
  const prepareNotFound = async (request: FastifyRequest, reply: FastifyReply) =>
    prepareCachedResponse(request, reply.code(404), await pages.renderNotFound(), headers);

  app.get('/*', async (request, reply) => {
    const resolved = resolvePage(request.url, pagePaths);
    if (resolved.kind === 'not-found') {
      if (request.url.startsWith(apiPrefix)) throw new AppError('not-found', 'No such call.');

      return prepareNotFound(request, reply);
    }
    if (resolved.kind === 'redirect') return reply.redirect(resolved.location, resolved.status);

    return prepareCachedResponse(request, reply, await pages.renderCached(resolved.location), headers);
  });
}
