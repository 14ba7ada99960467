import type { FastifyReply, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { surfaces } from '../../shared/accents/accent-scheme.ts';
import { escapeHtml } from '../../shared/escape-html.ts';
import { apiPrefix, routePatterns } from '../../shared/paths.ts';
import { RenderError } from '../ssr/render-document.ts';
import { AppError, toAppError } from './errors.ts';

/** The colors and shapes of the site's heroes (`client/styles/tokens.css`), in fonts that every machine has. */
const STYLES = `
body{margin:0;min-height:100vh;display:grid;align-items:center;background:${surfaces.deep};color:#f3efe4;font:1.0625rem/1.6 system-ui,sans-serif}
main{max-width:42rem;padding:clamp(2rem,8vw,6rem)}
h1{margin:.5rem 0 1rem;font:600 clamp(2.25rem,1.6rem + 3vw,3.75rem)/1.12 Georgia,serif}
p{margin:0 0 2rem}
p:first-child{margin:0;color:#d9ae4c;font-weight:600}
a{display:inline-block;margin:0 1rem 1rem 0;padding:.75rem 1.75rem;border:1px solid;border-radius:2rem;color:inherit;font-weight:600;text-decoration:none}
p+a{border-color:${surfaces.cream};background:${surfaces.cream};color:${surfaces.deep}}
a:focus-visible{outline:3px solid #d9ae4c;outline-offset:3px}
`;

/** Returns a page that needs nothing else to work, for when the site itself can't be rendered. */
function renderErrorPage(error: AppError): string {
  const { title, detail, status } = error.toProblem();

  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex"><title>${escapeHtml(title)}</title><style>${STYLES}</style></head>
<body><main><p>Error ${status}</p><h1>${escapeHtml(title)}</h1><p>${escapeHtml(detail)}</p>
<a href="${routePatterns.home}">Go to the home page</a><a href="${routePatterns.contact}">Contact us</a></main></body></html>
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
    const { cause = error } = error;
    const alert = cause instanceof RenderError ? ({ alert: 'page-broken', page: cause.page } as const) : {};
    request.log.error({ reqId: request.id, err: cause, code: error.code, ...alert }, 'request errored');
  }

  // A response that belongs to one visitor has its own value already.
  reply.code(error.status).header('cache-control', reply.getHeader('cache-control') ?? 'no-store');
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds);

  return wantsPage(request)
    ? reply.type('text/html; charset=utf-8').send(renderErrorPage(error))
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
