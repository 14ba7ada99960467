import { getErrorCode, SiteError } from '../logging/describe-error.ts';

/**
 * What happens after a failure. `retry`: another attempt follows. `dead`: an operator decides. `cancelled`: nothing is
 * left to send. `unwanted`: the sweep cancels the delivery. `paused`: the whole kind waits until settings are fixed.
 * `unwanted` and `paused` don't count as attempts.
 */
export type FailureResult = 'retry' | 'dead' | 'cancelled' | 'unwanted' | 'paused';

interface FailureDetails {
  readonly cause?: unknown;
  /** How long the receiver asks us to pause the whole kind, in milliseconds. */
  readonly kindWaitsMs?: number | undefined;
  /** Minimum time until this delivery's next attempt, in milliseconds. */
  readonly waitsMs?: number | undefined;
  /** Whether everything was sent but the response was lost. A retry may send everything twice. */
  readonly isAmbiguous?: boolean;
  /** Whether a mail server refused the recipient's address, not the mail or the sender. */
  readonly isRecipientRefused?: boolean;
  /** Whether a mail server refused the mail, possibly because of its content. */
  readonly isContentRefused?: boolean;
}

/** A failed attempt. `reason` is a short constant without personal data, stored as `last_error`. */
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

  /** Whether a mail server refused the recipient's address permanently. */
  get isRecipientRefusedForGood(): boolean {
    return this.isRecipientRefused && this.result === 'dead';
  }
}

/** An attempt that failed with an HTTP status outside 2xx or an SMTP code. */
export class ResponseError extends DeliveryError {
  override readonly name: string = 'ResponseError';
  readonly status: number;

  constructor(status: number, result: FailureResult, reason: string, details: FailureDetails = {}) {
    super(result, reason, details);
    this.status = status;
  }
}

/** Returns a DeliveryError unchanged. Wraps any other error in a DeliveryError whose result is `retry`. */
export function toDeliveryError(error: unknown): DeliveryError {
  if (error instanceof DeliveryError) return error;

  return new DeliveryError('retry', getErrorCode(error) ?? 'unexpected-error', { cause: error });
}
