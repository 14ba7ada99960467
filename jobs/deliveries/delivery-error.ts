import { getErrorCode } from '../../shared/node/error-code.ts';

/**
 * What a failure means for the delivery: try again later, give up so that an operator looks, or
 * call off because nothing is left to do.
 */
export type Verdict = 'retry' | 'dead' | 'cancelled';

/** A failed effect; `reason` is short, fixed and free of personal data, for `last_error`. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  readonly verdict: Verdict;
  readonly reason: string;

  constructor(verdict: Verdict, reason: string, cause?: unknown) {
    super(reason, { cause });
    this.verdict = verdict;
    this.reason = reason;
  }
}

/** Errors nobody classified are tried again: giving up is a decision. */
export function toDeliveryError(error: unknown): DeliveryError {
  if (error instanceof DeliveryError) return error;

  return new DeliveryError('retry', getErrorCode(error) ?? 'unexpected-error', error);
}
