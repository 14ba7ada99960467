import { getErrorCode } from '../logging/describe-error.ts';
import { DeliveryError, ResponseError } from '../outbound/delivery-error.ts';

/**
 * Wrong settings, or errors that affect the whole server. EPROTOCOL means that the server refused in its greeting.
 * 530, 534, 535 and 538 require a login or TLS (RFC 4954, RFC 3207).
 */
const CONFIGURATION_CODES = new Set(['EAUTH', 'ETLS', 'EOAUTH2', 'ENOAUTH', 'EPROTOCOL']);
const CONFIGURATION_STATUSES = new Set([530, 534, 535, 538]);

/** An untrusted certificate, or a server without TLS (Node's `tls`). */
const TLS_CODE = /CERT|ISSUER|CRL_|LEAF_SIGNATURE|HOSTNAME_MISMATCH|^INVALID_|^ERR_(?:TLS|SSL)_/;

/** 'Bad sequence of commands' (RFC 5321). The server may accept the mail in a new session. */
const BAD_SEQUENCE = 503;

/** Nodemailer's code for an attempt that our signal aborted. */
const TIMED_OUT = 'EABORT';

/**
 * Statuses about a mailbox or its domain (RFC 5321, RFC 7504). 450 and 451 are temporary. Other statuses are about
 * the session or the login.
 */
const MAILBOX_STATUSES = new Set([450, 451, 550, 551, 552, 553, 554, 556]);

/**
 * The server refuses the sender, not the recipient's address. Enhanced status codes X.7.X are about security and policy
 * (RFC 3463). Servers without such codes, such as Exim, say "relay not permitted".
 */
const POLICY = /^\d{3}[ -]\d\.7\.|\brelay/i;

/**
 * A filter's response to refused words or links: an enhanced status code about content or policy (5.6.X and 5.7.X,
 * RFC 3463), or a word such as `spam` from servers without these codes, such as Exim.
 */
const CONTENT = /^5\d\d[ -](?:5\.[67]\.|.*\b(?:blocked|content|malware|phishing|spam|virus)\b)/is;

interface SmtpFailure {
  /** The system's code if there is one, because ECONNREFUSED is more specific than Nodemailer's ESOCKET. */
  readonly code: string;
  readonly errorCode: string;
  /** The status of the server's response, if there was one. */
  readonly status: number | undefined;
  readonly isRecipientRefused: boolean;
  readonly isContentRefused: boolean;
}

/** Reads a Nodemailer error. */
function readFailure(error: unknown): SmtpFailure {
  const { originalCode, responseCode, command, response } = Object(error) as Readonly<Record<string, unknown>>;
  const errorCode = getErrorCode(error) ?? 'unexpected-error';
  const text = typeof response === 'string' ? response : '';

  return {
    code: typeof originalCode === 'string' ? originalCode : errorCode,
    errorCode,
    status: typeof responseCode === 'number' ? responseCode : undefined,
    isRecipientRefused:
      command === 'RCPT TO' && MAILBOX_STATUSES.has(Number(text.slice(0, 3))) && !POLICY.test(text),
    isContentRefused: command === 'DATA' && CONTENT.test(text),
  };
}

/**
 * Returns whether an operator must fix the login, TLS or the certificate. A 4xx response never requires that, because
 * it is temporary (454: the login service is down).
 */
export function isConfigurationError(error: unknown): boolean {
  const { code, errorCode, status = 500 } = readFailure(error);
  const isConfiguration =
    CONFIGURATION_CODES.has(errorCode) || TLS_CODE.test(code) || CONFIGURATION_STATUSES.has(status);

  return isConfiguration && status >= 500;
}

/**
 * Classifies an error. A permanent refusal (5xx) of this mail is final. Everything else is retried.
 *
 * Configuration errors don't pause the kind: mails to sales must be sent as soon as the login works again.
 *
 * @param isHandedOver whether the server received the whole mail. If so, it may have accepted it without responding
 */
export function classifySmtpError(error: unknown, isHandedOver: boolean): DeliveryError {
  const { code, status, isRecipientRefused, isContentRefused } = readFailure(error);
  // A STARTTLS failure is more specific than the status.
  if (status === undefined || code === 'ETLS') {
    const reason = code === TIMED_OUT ? 'smtp-timed-out' : `smtp-${code}`;

    return new DeliveryError('retry', reason, { cause: error, isAmbiguous: isHandedOver });
  }
  const isFinal = status >= 500 && status !== BAD_SEQUENCE && !isConfigurationError(error);

  return new ResponseError(status, isFinal ? 'dead' : 'retry', `smtp-${status}`, {
    cause: error,
    isRecipientRefused,
    isContentRefused,
  });
}
