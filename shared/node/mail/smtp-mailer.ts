import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import nodemailer, { type SendMailOptions } from 'nodemailer';
import { SiteError } from '../logging/describe-error.ts';
import type { Logger } from '../logging/logger.ts';
import type { Timings } from '../config/timings.ts';
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

/** A mail that asks before it ends. */
interface TrackedMail extends SendMailOptions {
  readonly beforeEnd: () => Promise<void>;
}

const isTracked = (mail: SendMailOptions): mail is TrackedMail => 'beforeEnd' in mail;

/** A generator, because it is run on demand: a transform would reach its end before the server asks. */
async function* askBeforeEnd(content: AsyncIterable<Uint8Array>, beforeEnd: () => Promise<void>) {
  yield* content;
  await beforeEnd();
}

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

  // Nodemailer reads the mail only once the server has asked for it (354), and sends the final dot
  // when it ends. A mail that fails instead closes the connection without the dot, and a server must
  // forget what it got of it (RFC 5321, 3.8 and 4.1.1.4).
  transport.use('stream', ({ data, message }, done) => {
    message?.processFunc((content) =>
      isTracked(data) ? Readable.from(askBeforeEnd(content, data.beforeEnd)) : content,
    );
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

/** A recipient that the server refused while it took others, as Nodemailer tells of it. */
interface RefusedRecipient {
  readonly responseCode?: number | undefined;
  readonly recipient?: string | undefined;
}

/** Sorts out those refused for the moment (4xx) from those refused for good. */
function sortRefused(refused: readonly RefusedRecipient[] = []) {
  const deferred = refused
    .filter(({ responseCode = 500 }) => responseCode < 500)
    .flatMap(({ recipient }) => recipient ?? []);

  return { deferred, refusedCount: refused.length - deferred.length };
}

/** Remembers whether a mail was handed over, and what kept it from being. */
function trackHandOver(beforeEnd: (() => Promise<void>) | undefined, signal: AbortSignal) {
  let isHandedOver = false;
  let obstacle: Error | undefined;

  return {
    isHandedOver: () => isHandedOver,
    getObstacle: () => obstacle,
    beforeEnd: async () => {
      try {
        // A pool may send a mail again over another connection.
        if (isHandedOver) throw new DeliveryError('retry', 'smtp-repeated', { isAmbiguous: true });
        await beforeEnd?.();
        signal.throwIfAborted();
        isHandedOver = true;
      } catch (error) {
        obstacle = error instanceof Error ? error : new SiteError('Refused.', { cause: error });
        throw obstacle;
      }
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
    send: async (mail, { signal, beforeEnd }) => {
      const handOver = trackHandOver(beforeEnd, signal);
      // The signal cuts this mail's connection: a server that drips bytes passes every time-out.
      const tracked: TrackedMail = {
        ...composeMessage(mail, from),
        signal,
        beforeEnd: handOver.beforeEnd,
      };

      try {
        const info = await transport.sendMail(tracked);
        alert.succeeded();
        const { deferred, refusedCount } = sortRefused(info.rejectedErrors);
        if (refusedCount > 0) {
          logger.error(
            { alert: 'recipient-refused', key: mail.key, refused: refusedCount },
            'Not every recipient was accepted.',
          );
        }

        return { messageId: info.messageId, deferred };
      } catch (error) {
        const obstacle = handOver.getObstacle();
        if (obstacle && !signal.aborted) throw obstacle;
        const failure = classifySmtpError(error, handOver.isHandedOver());
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
