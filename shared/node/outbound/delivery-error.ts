import { getErrorCode, SiteError } from '../logging/describe-error.ts';

/**
 * What a failure means: `retry`; `dead`, for an operator; `cancelled`, nothing is left; `unwanted`, for the sweep;
 * `paused`, the whole kind until settings are fixed. The attempt doesn't count for the last two.
 */
export type FailureResult = 'retry' | 'dead' | 'cancelled' | 'unwanted' | 'paused';

interface FailureDetails {
  readonly cause?: unknown;
  /** The other side asks all of the kind to wait so long, in milliseconds. */
  readonly kindWaitsMs?: number | undefined;
  /** This delivery alone is not tried again for so long, in milliseconds. */
  readonly waitsMs?: number | undefined;
  /** Everything was handed over and the response was lost: a retry may send it twice. */
  readonly isAmbiguous?: boolean;
  /** A mail server refused the recipient's address, not the mail, and not us. */
  readonly isRecipientRefused?: boolean;
  /** A mail server refused what the mail says, or may have. */
  readonly isContentRefused?: boolean;
}

/** A failed attempt; `reason` is short, fixed and free of personal data, for `last_error`. */
export class DeliveryError extends SiteError {
  override readonly name: string = 'DeliveryError';
  readonly result: FailureResult;
  readonly reason: string;
  readonly kindWaitsMs: number | undefined;
  readonly waitsMs: number | undefined;
  readonly isAmbiguous: boolean;
  readonly isRecipientRefused: boolean;
  readonly isContentRefused: boolean;

  constructor(result: FailureResult, reason: string, details: FailureDetails = {}) {
    super(reason, { cause: details.cause });
    this.result = result;
    this.reason = reason;
    this.kindWaitsMs = details.kindWaitsMs;
    this.waitsMs = details.waitsMs;
    this.isAmbiguous = details.isAmbiguous ?? false;
    this.isRecipientRefused = details.isRecipientRefused ?? false;
    this.isContentRefused = details.isContentRefused ?? false;
  }

  /** Whether a mail server refused the recipient's address for good. */
  get isRecipientRefusedForGood(): boolean {
    return this.isRecipientRefused && this.result === 'dead';
  }
}

/** An attempt that the other side's response ended, of HTTP outside 2xx or of SMTP. */
export class ResponseError extends DeliveryError {
  override readonly name: string = 'ResponseError';
  readonly status: number;

  constructor(status: number, result: FailureResult, reason: string, details: FailureDetails = {}) {
    super(result, reason, details);
    this.status = status;
  }
}

/** Errors that are not classified are retried: failing permanently is a decision. */
export function toDeliveryError(error: unknown): DeliveryError {
  if (error instanceof DeliveryError) return error;

  return new DeliveryError('retry', getErrorCode(error) ?? 'unexpected-error', { cause: error });
}
