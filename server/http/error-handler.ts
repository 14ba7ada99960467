import type { FastifyReply, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { escapeHtml } from '../../shared/escape-html.ts';
import { apiPrefix, routePatterns } from '../../shared/paths.ts';
import { AppError, toAppError } from './errors.ts';

/** A page that needs nothing else to work, for when the site itself can't be rendered. */
function renderProblemPage(error: AppError): string {
  const { title, detail } = error.toProblem();

  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex"><title>${escapeHtml(title)}</title></head>
<body><main><h1>${escapeHtml(title)}</h1><p>${escapeHtml(detail)}</p>
<p><a href="${routePatterns.home}">Go to the home page</a></p></main></body></html>
`;
}

function wantsPage(request: FastifyRequest): boolean {
  return !request.url.startsWith(apiPrefix) && (request.headers.accept ?? '').includes('text/html');
}

/** Sends the page or the problem document of what was thrown. */
export function sendError(request: FastifyRequest, reply: FastifyReply, thrown: unknown) {
  const error = toAppError(thrown);
  // A shed request has its own line in the request log: a flood must not fill the log with errors.
  if (error.status >= 500 && error.code !== 'overloaded') {
    request.log.error({ reqId: request.id, err: error.cause ?? error, code: error.code }, 'request errored');
  }

  // A response that belongs to one visitor has its own value already.
  reply.code(error.status).header('cache-control', reply.getHeader('cache-control') ?? 'no-store');
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds);

  return wantsPage(request)
    ? reply.type('text/html; charset=utf-8').send(renderProblemPage(error))
    : reply.type('application/problem+json; charset=utf-8').send(JSON.stringify(error.toProblem()));
}

/** Makes a response of everything that is thrown, and of addresses that have no route. */
export const errorHandler = fastifyPlugin(
  async (app) => {
    app.setErrorHandler((error, request, reply) => sendError(request, reply, error));
    app.setNotFoundHandler((request, reply) =>
      sendError(request, reply, new AppError('not-found', 'There is nothing at this address.')),
    );
  },
  { name: 'error-handler' },
);
