import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { brand } from '#content/brand';
import { escapeHtml } from '../../shared/escape-html.ts';
import { SiteError } from '../../shared/node/logging/describe-error.ts';
import { apiPrefix, routePatterns, salesPrefix } from '../../shared/paths.ts';
import type { FieldErrors, Problem } from '../../shared/problem.ts';
import { RenderError } from '../ssr/render-document.ts';

const errorKinds = {
  'invalid-request': { status: 400, title: 'The request can’t be read' },
  'invalid-fields': { status: 400, title: 'Some fields need attention' },
  'incorrect-password': { status: 401, title: 'Incorrect password' },
  'cross-origin': { status: 403, title: 'Sent from another site' },
  'not-found': { status: 404, title: 'Not found' },
  'id-conflict': { status: 409, title: 'Already used for another request' },
  'already-settled': { status: 409, title: 'Already settled' },
  'body-too-large': { status: 413, title: 'Too large' },
  'unsupported-media-type': { status: 415, title: 'Unsupported content type' },
  'misdirected-host': { status: 421, title: 'Unknown host' },
  'rate-limited': { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Something went wrong' },
  /** The request was shed under load. Nothing is broken. */
  overloaded: { status: 503, title: 'Too busy right now' },
  unavailable: { status: 503, title: 'Temporarily unavailable' },
} as const;

export type ErrorCode = keyof typeof errorKinds;

interface AppErrorOptions {
  readonly errors?: FieldErrors;
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/** An error that determines the response. `detail` is shown to the visitor, and `cause` is only logged. */
export class AppError extends SiteError {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly detail: string;
  readonly errors: FieldErrors | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, detail: string, options: AppErrorOptions = {}) {
    super(`${code}: ${detail}`, { cause: options.cause });
    this.code = code;
    this.detail = detail;
    this.errors = options.errors;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return errorKinds[this.code].status;
  }

  toProblem(): Problem {
    const { status, title } = errorKinds[this.code];

    return {
      type: 'about:blank',
      title,
      status,
      detail: this.detail,
      code: this.code,
      ...(this.errors ? { errors: this.errors } : {}),
    };
  }
}

/** Returns the error for a client over a rate limit. */
export function makeRateLimitError(retryAfterSeconds: number): AppError {
  return new AppError(
    'rate-limited',
    'Too many requests from your network. Please try again in a few minutes.',
    { retryAfterSeconds },
  );
}

const RETRY_AFTER_SECONDS = 30;

/** Returns the error to send while PostgreSQL is unavailable. `detail` says what that means for the visitor. */
export function makeUnavailableError(detail: string, cause: unknown): AppError {
  return new AppError('unavailable', detail, { retryAfterSeconds: RETRY_AFTER_SECONDS, cause });
}

const byStatus: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  404: ['not-found', 'There is nothing at this address.'],
  413: ['body-too-large', 'The request is too large. Please shorten what you typed.'],
  415: ['unsupported-media-type', 'This address doesn’t take this content type.'],
};

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;

  const status =
    error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
      ? error.statusCode
      : 500;
  const known = byStatus[status];
  if (known) return new AppError(...known, { cause: error });

  return status >= 400 && status < 500
    ? new AppError('invalid-request', 'The request can’t be read.', { cause: error })
    : new AppError('internal', 'Something went wrong on our side. Please try again.', { cause: error });
}

const { cream, deep, highlightOnDeep, onDeep } = brand.colors;

/** The colors and shapes of the site's hero sections, in fonts that every machine has. */
const STYLES = `
body{margin:0;min-height:100vh;display:grid;align-items:center;background:${deep};color:${onDeep};font:1.0625rem/1.6 system-ui,sans-serif}
main{max-width:42rem;padding:clamp(2rem,8vw,6rem)}
h1{margin:.5rem 0 1rem;font:600 clamp(2.25rem,1.6rem + 3vw,3.75rem)/1.12 Georgia,serif}
p{margin:0 0 2rem}
p:first-child{margin:0;color:${highlightOnDeep};font-weight:600}
a{display:inline-block;margin:0 1rem 1rem 0;padding:.75rem 1.75rem;border:1px solid;border-radius:2rem;color:inherit;font-weight:600;text-decoration:none}
p+a{border-color:${cream};background:${cream};color:${deep}}
a:focus-visible{outline:3px solid ${highlightOnDeep};outline-offset:3px}
`;

const WAYS_ON = `<a href="${routePatterns.home}">Go to the home page</a><a href="${routePatterns.contact}">Contact us</a>`;

/** Returns a self-contained error page, which works even if the site can't be rendered. */
function renderErrorPage(error: AppError, isForSales: boolean): string {
  const { title, detail, status } = error.toProblem();

  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex"><title>${escapeHtml(title)}</title><style>${STYLES}</style></head>
<body><main><p>Error ${status}</p><h1>${escapeHtml(title)}</h1><p>${escapeHtml(detail)}</p>
${isForSales ? '' : WAYS_ON}</main></body></html>
`;
}

function wantsPage(request: FastifyRequest): boolean {
  return !request.url.startsWith(apiPrefix) && (request.headers.accept ?? '').includes('text/html');
}

function sendError(request: FastifyRequest, reply: FastifyReply, thrown: unknown) {
  const error = toAppError(thrown);
  // Shed requests appear only in the request log, so that a flood doesn't fill the log with errors.
  if (error.status >= 500 && error.code !== 'overloaded') {
    const { cause = error } = error;
    const alert = cause instanceof RenderError ? ({ alert: 'page-broken', page: cause.page } as const) : {};
    request.log.error({ reqId: request.id, err: cause, code: error.code, ...alert }, 'request errored');
  }

  // Keeps the Cache-Control header of a private response.
  reply.code(error.status).header('cache-control', reply.getHeader('cache-control') ?? 'no-store');
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds);

  return wantsPage(request)
    ? reply.type('text/html; charset=utf-8').send(renderErrorPage(error, request.url.startsWith(salesPrefix)))
    : reply.type('application/problem+json; charset=utf-8').send(JSON.stringify(error.toProblem()));
}

/** Sends a response for every thrown error and for unknown addresses. */
export function handleErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => sendError(request, reply, error));
  app.setNotFoundHandler((request, reply) =>
    sendError(request, reply, new AppError('not-found', 'There is nothing at this address.')),
  );
}
