import nodemailer from 'nodemailer';
import { getErrorCode } from '../../shared/node/error-code.ts';
import type { Logger } from '../../shared/node/logger.ts';
import type { Timings } from '../timings.ts';
import { DeliveryError } from '../deliveries/delivery-error.ts';
import { composeMessage } from './compose-message.ts';
import type { Mailer } from './mailer.ts';

const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i;
const DEFAULT_PORTS = { smtp: 587, smtps: 465 } as const;

/**
 * Connection and TLS rules of an SMTP URL: `smtps://` is TLS from the start; `smtp://` demands
 * STARTTLS with a valid certificate, except to a loopback host or with `?ignoreTLS=true`.
 */
export function readSmtpUrl(smtpUrl: string) {
  const url = new URL(smtpUrl);
  const secure = url.protocol === 'smtps:';
  const ignoreTLS =
    !secure &&
    (LOOPBACK_HOST.test(url.hostname) || url.searchParams.get('ignoreTLS') === 'true');

  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? DEFAULT_PORTS[secure ? 'smtps' : 'smtp'] : Number(url.port),
    secure,
    ignoreTLS,
    requireTLS: !secure && !ignoreTLS,
    ...(url.username === ''
      ? {}
      : {
          auth: {
            user: decodeURIComponent(url.username),
            pass: decodeURIComponent(url.password),
          },
        }),
  };
}

/**
 * Failures of the configuration or of the server, not of the mail: they wait for the operator and
 * are retried. EPROTOCOL is a refusal in the greeting; 530, 534, 535 and 538 ask for a login or
 * for TLS (RFC 4954, RFC 3207).
 */
const CONFIGURATION_CODES = new Set(['EAUTH', 'ETLS', 'EOAUTH2', 'ENOAUTH', 'EPROTOCOL']);
const CONFIGURATION_STATUSES = new Set([530, 534, 535, 538]);

/** A permanent refusal (5xx) of this mail is final; everything else is tried again. */
export function classifySmtpError(error: unknown): DeliveryError {
  const code = getErrorCode(error) ?? 'unexpected-error';
  const status =
    error instanceof Error && 'responseCode' in error && typeof error.responseCode === 'number'
      ? error.responseCode
      : undefined;
  const reason = status === undefined ? `smtp-${code}` : `smtp-${status}`;
  const isFinal =
    status !== undefined &&
    status >= 500 &&
    !CONFIGURATION_CODES.has(code) &&
    !CONFIGURATION_STATUSES.has(status);

  return new DeliveryError(isFinal ? 'dead' : 'retry', reason, { cause: error });
}

/** Mails through an SMTP server, over a small pool of connections. */
export function createSmtpMailer(
  smtpUrl: string,
  from: string,
  timeouts: Timings['smtp'],
  logger: Logger,
): Mailer {
  const transport = nodemailer.createTransport({
    ...readSmtpUrl(smtpUrl),
    pool: true,
    maxConnections: 3,
    connectionTimeout: timeouts.connect,
    dnsTimeout: timeouts.connect,
    greetingTimeout: timeouts.greeting,
    socketTimeout: timeouts.socket,
  });

  return {
    send: async (mail, signal) => {
      try {
        // The signal cuts this mail's connection: a server that drips bytes passes every time-out.
        const sent = await transport.sendMail({ ...composeMessage(mail, from), signal });
        if (sent.rejected.length > 0) {
          logger.error(
            { alert: 'recipient-refused', key: mail.key, refused: sent.rejected.length },
            'Not every recipient was accepted.',
          );
        }

        return sent.messageId;
      } catch (error) {
        throw classifySmtpError(error);
      }
    },
    verify: async () => {
      try {
        await transport.verify();
      } catch (error) {
        throw classifySmtpError(error);
      }
    },
    close: () => transport.close(),
  };
}
