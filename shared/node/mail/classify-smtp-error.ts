import { getErrorCode } from '../logging/describe-error.ts';
import { DeliveryError, ResponseError } from '../outbound/delivery-error.ts';

/**
 * Failures of the settings or of the whole server, not of one mail. EPROTOCOL is a refusal in the
 * greeting; 530, 534, 535 and 538 ask for a login or for TLS (RFC 4954, RFC 3207).
 */
const CONFIGURATION_CODES = new Set(['EAUTH', 'ETLS', 'EOAUTH2', 'ENOAUTH', 'EPROTOCOL']);
const CONFIGURATION_STATUSES = new Set([530, 534, 535, 538]);

/** A certificate Node doesn't accept, or TLS where the server has none (Node's `tls`). */
const TLS_CODE = /CERT|ISSUER|CRL_|LEAF_SIGNATURE|HOSTNAME_MISMATCH|^INVALID_|^ERR_(?:TLS|SSL)_/;

/** 'Bad sequence of commands' concerns the session; the mail may be accepted in a new one (RFC 5321). */
const BAD_SEQUENCE = 503;

/** What Nodemailer reports of a failure. */
interface SmtpFailure {
  /** Its own code, or the system's where there is one: ECONNREFUSED says more than ESOCKET. */
  readonly code: string;
  readonly isConfigurationCode: boolean;
  /** The server's response, if there was one. */
  readonly status: number | undefined;
  readonly isRecipientRefused: boolean;
  readonly isContentRefused: boolean;
}

/** Nodemailer's code when our own signal aborts an attempt. */
const TIMED_OUT = 'EABORT';

/**
 * Statuses that may be about a mailbox or its domain (RFC 5321, RFC 7504; 450 and 451 for the moment). Others
 * are about the session or the login.
 */
const MAILBOX_STATUSES = new Set([450, 451, 550, 551, 552, 553, 554, 556]);

/**
 * A refusal of us rather than of the address: enhanced status codes of the class X.7.X are about
 * security and policy (RFC 3463), and servers without such codes, as Exim, say "relay not permitted".
 */
const POLICY = /^\d{3}[ -]\d\.7\.|\brelay/i;

/**
 * What filters answer to words or links they refuse: an enhanced status code about content or policy (5.6.X and 5.7.X,
 * RFC 3463), or, as Exim, that in words.
 */
const CONTENT = /^5\d\d[ -](?:5\.[67]\.|.*\b(?:blocked|content|malware|phishing|spam|virus)\b)/is;

/** Whether the server refused the mail once it had read it, and maybe for what it says. */
function isAboutContent(error: unknown): boolean {
  const { command, response } = Object(error) as { command?: unknown; response?: unknown };

  return command === 'DATA' && typeof response === 'string' && CONTENT.test(response);
}

/** Whether the server's response is about the one recipient's address. */
function isAboutRecipient(error: unknown): boolean {
  const { command, response } = Object(error) as { command?: unknown; response?: unknown };
  if (command !== 'RCPT TO' || typeof response !== 'string') return false;

  return MAILBOX_STATUSES.has(Number(response.slice(0, 3))) && !POLICY.test(response);
}

function readFailure(error: unknown): SmtpFailure {
  const ownCode = getErrorCode(error) ?? 'unexpected-error';
  const hasOriginal =
    error instanceof Error && 'originalCode' in error && typeof error.originalCode === 'string';
  const code = hasOriginal ? String(error.originalCode) : ownCode;

  return {
    code,
    isConfigurationCode: CONFIGURATION_CODES.has(ownCode) || TLS_CODE.test(code),
    status:
      error instanceof Error && 'responseCode' in error && typeof error.responseCode === 'number'
        ? error.responseCode
        : undefined,
    isRecipientRefused: isAboutRecipient(error),
    isContentRefused: isAboutContent(error),
  };
}

/**
 * Whether the operator has to fix something: login, TLS or certificate. A 4xx response never means that,
 * because it is temporary (454: the login service is down).
 */
export function isConfigurationError(error: unknown): boolean {
  const { isConfigurationCode, status } = readFailure(error);
  if (status !== undefined && status < 500) return false;

  return isConfigurationCode || (status !== undefined && CONFIGURATION_STATUSES.has(status));
}

/**
 * A permanent refusal (5xx) of this mail is final; everything else is retried.
 *
 * So are configuration errors, which pause the kind for a CRM (`paused`): a mail to sales may not wait a
 * pause's quarter of an hour after the login works again, one attempt by each delivery costs a mail server
 * little, and what can't be sent is reported as overdue either way.
 *
 * @param isHandedOver the server had the whole mail; without a response nobody knows whether it
 *   accepted it
 */
export function classifySmtpError(error: unknown, isHandedOver: boolean): DeliveryError {
  const { code, status, isRecipientRefused, isContentRefused } = readFailure(error);
  // That STARTTLS failed says more than the status of the response.
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
