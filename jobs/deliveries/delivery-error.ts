/**
 * What a failure means for the delivery: try again later, give up so that an operator looks, or
 * call off because nothing is left to do.
 */
export type Verdict = 'retry' | 'dead' | 'cancelled';

interface DeliveryErrorOptions {
  /** The other side's own wish, in milliseconds. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** A failed effect; `reason` is short, fixed and free of personal data, for `last_error`. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  readonly verdict: Verdict;
  readonly reason: string;
  readonly retryAfterMs: number | undefined;

  constructor(verdict: Verdict, reason: string, options: DeliveryErrorOptions = {}) {
    super(reason, { cause: options.cause });
    this.verdict = verdict;
    this.reason = reason;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Errors nobody classified are tried again: giving up is a decision. */
export function toDeliveryError(error: unknown): DeliveryError {
  if (error instanceof DeliveryError) return error;
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string'
      ? error.code
      : 'unexpected-error';

  return new DeliveryError('retry', code, { cause: error });
}
