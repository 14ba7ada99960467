import { SiteError } from '../../shared/node/logging/describe-error.ts';
import type { FieldErrors, Problem } from '../../shared/problem.ts';

/** Every expected error: its status and the title of its problem document. */
const errorKinds = {
  'invalid-request': { status: 400, title: 'The request can’t be read' },
  'invalid-fields': { status: 400, title: 'Some fields need attention' },
  'incorrect-password': { status: 401, title: 'Incorrect password' },
  'cross-origin': { status: 403, title: 'Sent from another site' },
  'not-found': { status: 404, title: 'Not found' },
  'id-conflict': { status: 409, title: 'Already used for another request' },
  'body-too-large': { status: 413, title: 'Too large' },
  'unsupported-media-type': { status: 415, title: 'Unsupported content type' },
  'misdirected-host': { status: 421, title: 'Unknown host' },
  'rate-limited': { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Something went wrong' },
  /** Shed because of load: nothing is broken. */
  overloaded: { status: 503, title: 'Too busy right now' },
  unavailable: { status: 503, title: 'Temporarily unavailable' },
} as const;

export type ErrorCode = keyof typeof errorKinds;

interface AppErrorOptions {
  readonly errors?: FieldErrors;
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/**
 * An error that has a response: `detail` is for the person in front of the screen and carries no
 * internals; what went wrong inside is the `cause`.
 */
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

/** The error of a client that is over a rate limit. */
export function makeRateLimitError(retryAfterSeconds: number): AppError {
  return new AppError(
    'rate-limited',
    'Too many requests from your network. Please try again in a few minutes.',
    { retryAfterSeconds },
  );
}

const RETRY_AFTER_SECONDS = 30;

/** The error while PostgreSQL can't be used; `detail` says what that means for the person. */
export function makeUnavailableError(detail: string, cause: unknown): AppError {
  return new AppError('unavailable', detail, { retryAfterSeconds: RETRY_AFTER_SECONDS, cause });
}

const byStatus: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  404: ['not-found', 'There is nothing at this address.'],
  413: ['body-too-large', 'The request is too large. Please shorten what you typed.'],
  415: ['unsupported-media-type', 'This address doesn’t take this content type.'],
};

/** Turns whatever was thrown into an error that has a response. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;

  const status =
    error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
      ? error.statusCode
      : 500;
  const known = byStatus[status];
  if (known) return new AppError(...known, { cause: error });
  // Fastify's, when a handler takes longer than `handlerTimeout`.
  if (status === 503) return makeUnavailableError('This takes too long. Please try again.', error);
  if (status >= 400 && status < 500) {
    return new AppError('invalid-request', 'The request can’t be read.', { cause: error });
  }

  return new AppError('internal', 'Something went wrong on our side. Please try again.', {
    cause: error,
  });
}
