import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import type { KeptPage, PageRenderer } from './page-renderer.ts';
import { resolvePage } from './resolve-page.ts';

const HTML = 'text/html; charset=utf-8';

type Encoding = 'br' | 'gzip' | 'identity';

function chooseEncoding(request: FastifyRequest): Encoding {
  const accepted = request.headers['accept-encoding'];
  const chosen = accepted === undefined ? null : negotiate(accepted, ['br', 'gzip', 'identity']);

  return chosen === 'br' || chosen === 'gzip' ? chosen : 'identity';
}

/** Whether If-None-Match names this tag; the comparison is weak, as for every GET (RFC 9110). */
function hasTag(request: FastifyRequest, tag: string): boolean {
  const known = request.headers['if-none-match'];
  if (known === undefined) return false;

  return known.split(',').some((item) => {
    const value = item.trim().replace(/^W\//, '');

    return value === '*' || value === tag;
  });
}

/** Sends a kept page in the encoding the browser prefers, or 304 when it has it. */
function sendKeptPage(request: FastifyRequest, reply: FastifyReply, page: KeptPage) {
  const encoding = chooseEncoding(request);
  const tag = encoding === 'identity' ? `"${page.tag}"` : `"${page.tag}-${encoding}"`;

  reply.headers({
    'cache-control': 'public, max-age=0, must-revalidate',
    vary: 'Accept-Encoding',
    etag: tag,
  });
  if (reply.statusCode === 200 && hasTag(request, tag)) return reply.code(304).send();
  if (encoding !== 'identity') reply.header('content-encoding', encoding);

  return reply.type(HTML).send(page[encoding]);
}

/** Every page by one catch-all route; what isn't a page gets the not-found page with 404. */
export function registerPages(app: FastifyInstance, pages: PageRenderer): void {
  const sendNotFound = async (request: FastifyRequest, reply: FastifyReply) =>
    sendKeptPage(request, reply.code(404), await pages.renderNotFound());

  app.get('/*', async (request, reply) => {
    const resolved = resolvePage(request.url);
    if (resolved.kind === 'not-found') {
      if (request.url.startsWith('/api/')) throw new AppError('not-found', 'No such call.');

      return sendNotFound(request, reply);
    }
    if (resolved.kind === 'redirect') return reply.redirect(resolved.location, resolved.status);

    return sendKeptPage(request, reply, await pages.renderKept(resolved.location));
  });
}
