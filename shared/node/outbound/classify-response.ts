import { Hour, Second } from '../../time.ts';
import { ResponseError, type DeliveryError } from './delivery-error.ts';
import type { OutboundResponse } from './outbound-client.ts';

/** Longest accepted `Retry-After`, in milliseconds. */
export const MAX_RETRY_AFTER = 6 * Hour;

/** Returns `Retry-After` in milliseconds (RFC 9110, 10.2.3), or undefined if invalid. Some servers send fractions. */
export function readRetryAfter(response: OutboundResponse, now: number = Date.now()): number | undefined {
  const text = response.header('retry-after')?.trim() ?? '';
  const ms = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * Second : Date.parse(text) - now;

  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), MAX_RETRY_AFTER);
}

/** Returns whether a status is temporary: request timeout, locked, too early, too many requests, server errors. */
const isTemporary = (status: number) =>
  [408, 423, 425, 429].includes(status) || status >= 500;

const isLimited = (status: number) => status === 429 || status === 503;

/** Returns whether a response asks the caller to retry later, even if it names no time. */
export const asksToWait = (error: DeliveryError): boolean =>
  error.result === 'retry' &&
  (error.kindWaitsMs !== undefined || (error instanceof ResponseError && isLimited(error.status)));

/**
 * Classifies a response by its status: temporary errors are retried after `Retry-After`, 401 and 403 pause the kind,
 * and others are permanent.
 * @param origin first part of the reason, such as `hubspot`
 * @param detail last part of the reason: an error code from the API, never text that may contain personal data
 */
export function classifyResponse(
  origin: string,
  response: OutboundResponse,
  detail?: string,
): ResponseError {
  const { status } = response;
  const reason = [origin, status, ...(detail === undefined ? [] : [detail])].join('-');
  if (isTemporary(status)) {
    return new ResponseError(status, 'retry', reason, { kindWaitsMs: readRetryAfter(response) });
  }

  return new ResponseError(status, status === 401 || status === 403 ? 'paused' : 'dead', reason);
}

/** Explanations for the operator, by reason. */
const sentences: Readonly<Record<string, string>> = {
  'http-timed-out': 'There was no response within 10 seconds.',
  'http-ADDRESS_REFUSED':
    'The address is private, on this machine or without https; add it to OUTBOUND_ALLOW if this is intended (link-local addresses are never called).',
  'http-redirect': 'It responds with a redirect, which is not followed; set the final address.',
  'http-response-too-large': 'Its response is far too large; is the address right?',
  'http-ENOTFOUND': 'The host name is not known; check its spelling and the name server.',
  'http-UND_ERR_CONNECT_TIMEOUT': 'No connection was made within 5 seconds.',
  'http-EAI_AGAIN': 'The name server doesn’t respond.',
  'http-ECONNREFUSED': 'Nothing is listening at that address and port.',
  'http-ECONNRESET': 'It ended the connection without a response.',
  'http-UND_ERR_SOCKET': 'It ended the connection without a response.',
  'http-EHOSTUNREACH': 'There is no route to that address.',
  'http-ENETUNREACH': 'There is no route to that address.',
};

/** Reasons that prove that a failed call sent nothing. */
const NOT_SENT: ReadonlySet<string> = new Set([
  'http-ENOTFOUND',
  'http-EAI_AGAIN',
  'http-ECONNREFUSED',
  'http-EHOSTUNREACH',
  'http-ENETUNREACH',
  'http-UND_ERR_CONNECT_TIMEOUT',
]);

/** Returns whether a call may have arrived although there was no response. */
export const mayHaveArrived = ({ result, reason }: DeliveryError): boolean =>
  result === 'retry' && reason.startsWith('http-') && !NOT_SENT.has(reason);

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO|HOSTNAME/;

/** Returns a sentence that explains a failed call. */
export function describeCallFailure({ reason }: Pick<DeliveryError, 'reason'>): string {
  const known = sentences[reason];
  if (known !== undefined) return known;

  if (reason.startsWith('http-ERR_SSL')) return `The TLS handshake failed (${reason}); does that port use TLS?`;

  return CERTIFICATE.test(reason)
    ? `Its certificate is not trusted (${reason}); put a private authority into certificates/authorities ` +
        '(without Docker: NODE_EXTRA_CA_CERTS).'
    : `The call failed (${reason}).`;
}
