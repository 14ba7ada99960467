import nodemailer from 'nodemailer';
import type { Timings } from '../timings.ts';
import { DeliveryError } from '../deliveries/delivery-error.ts';
import { composeMessage } from './compose-message.ts';
import type { MailAddresses, Mailer } from './mailer.ts';

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

/** Failures of the configuration, not of the mail: they wait for the operator and are retried. */
const CONFIGURATION_CODES = new Set(['EAUTH', 'ETLS', 'EOAUTH2', 'ENOAUTH']);

/** A permanent refusal (5xx) of this mail is final; everything else is tried again. */
export function classifySmtpError(error: unknown): DeliveryError {
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string'
      ? error.code
      : 'unexpected-error';
  const status =
    error instanceof Error && 'responseCode' in error && typeof error.responseCode === 'number'
      ? error.responseCode
      : undefined;
  const reason = status === undefined ? `smtp-${code}` : `smtp-${status}`;
  const isFinal = status !== undefined && status >= 500 && !CONFIGURATION_CODES.has(code);

  return new DeliveryError(isFinal ? 'dead' : 'retry', reason, { cause: error });
}

/** Mails through an SMTP server, over a small pool of connections. */
export function createSmtpMailer(
  smtpUrl: string,
  addresses: MailAddresses,
  timeouts: Timings['smtp'],
): Mailer {
  const open = () =>
    nodemailer.createTransport({
      ...readSmtpUrl(smtpUrl),
      pool: true,
      maxConnections: 3,
      connectionTimeout: timeouts.connect,
      dnsTimeout: timeouts.connect,
      greetingTimeout: timeouts.greeting,
      socketTimeout: timeouts.socket,
    });
  let transport = open();

  // A server that drips bytes passes every single timeout; its connections are cut instead.
  const cutConnections = () => {
    transport.close();
    transport = open();
  };

  return {
    send: async (mail, signal) => {
      signal.addEventListener('abort', cutConnections, { once: true });
      try {
        const { messageId } = await transport.sendMail(composeMessage(mail, addresses));

        return messageId;
      } catch (error) {
        throw classifySmtpError(error);
      } finally {
        signal.removeEventListener('abort', cutConnections);
      }
    },
    close: () => transport.close(),
  };
}
