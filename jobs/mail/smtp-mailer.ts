import { setTimeout as wait } from 'node:timers/promises';
import nodemailer, { type SendMailOptions } from 'nodemailer';
import type { Logger } from '../../shared/node/logger.ts';
import type { Timings } from '../timings.ts';
import { DeliveryError } from '../deliveries/delivery-error.ts';
import { classifySmtpError, isConfigurationFault } from './classify-smtp-error.ts';
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

/** A mail of which we are told when the server has been given all of it. */
interface TrackedMail extends SendMailOptions {
  readonly onHandedOver: () => void;
}

const isTracked = (mail: SendMailOptions): mail is TrackedMail => 'onHandedOver' in mail;

function openTransport(smtpUrl: string, timeouts: Timings['smtp']) {
  const transport = nodemailer.createTransport({
    ...readSmtpUrl(smtpUrl),
    pool: true,
    maxConnections: 3,
    connectionTimeout: timeouts.connect,
    dnsTimeout: timeouts.connect,
    greetingTimeout: timeouts.greeting,
    socketTimeout: timeouts.socket,
  });

  // Nodemailer's errors don't say whether the connection was lost before or after the end of the
  // mail. It reads the mail only once the server has asked for it (354), and ends it at once with
  // the final dot: from the last byte read, the server may have everything.
  transport.use('stream', ({ data, message }, done) => {
    message?.processFunc((content) => (isTracked(data) ? content.once('end', data.onHandedOver) : content));
    done();
  });

  return transport;
}

/** Tells of a fault of the configuration when it appears, not at every mail that meets it. */
function makeConfigurationAlert(logger: Logger) {
  let told: string | undefined;

  return {
    failed: (error: unknown, reason: string) => {
      if (!isConfigurationFault(error) || reason === told) return;
      told = reason;
      logger.error(
        { alert: 'mail-configuration', reason, err: error },
        'The mail server can’t be used as it is configured: check SMTP_URL, login and certificate.',
      );
    },
    succeeded: () => {
      told = undefined;
    },
  };
}

/** Mails through an SMTP server, over a small pool of connections. */
export function createSmtpMailer(
  smtpUrl: string,
  from: string,
  timeouts: Timings['smtp'],
  logger: Logger,
): Mailer {
  const transport = openTransport(smtpUrl, timeouts);
  const alert = makeConfigurationAlert(logger);
  const verifyTime = timeouts.connect + timeouts.greeting + timeouts.socket;

  return {
    send: async (mail, signal) => {
      let isHandedOver = false;
      const tracked: TrackedMail = {
        ...composeMessage(mail, from),
        // Cuts this mail's connection: a server that drips bytes passes every time-out.
        signal,
        onHandedOver: () => {
          isHandedOver = true;
        },
      };

      try {
        const { messageId, rejected } = await transport.sendMail(tracked);
        alert.succeeded();
        if (rejected.length > 0) {
          logger.error(
            { alert: 'recipient-refused', key: mail.key, refused: rejected.length },
            'Not every recipient was accepted.',
          );
        }

        return messageId;
      } catch (error) {
        const failure = classifySmtpError(error, isHandedOver);
        alert.failed(error, failure.reason);
        throw failure;
      }
    },
    verify: async () => {
      const timeOut = new AbortController();
      try {
        await Promise.race([
          transport.verify(),
          wait(verifyTime, undefined, { signal: timeOut.signal }).then(() => {
            throw new DeliveryError('retry', 'smtp-timed-out');
          }),
        ]);
      } catch (error) {
        throw error instanceof DeliveryError ? error : classifySmtpError(error, false);
      } finally {
        timeOut.abort();
      }
    },
    close: () => transport.close(),
  };
}
