import { Readable } from 'node:stream';
import nodemailer, { type SendMailOptions } from 'nodemailer';
import { SiteError } from '../logging/describe-error.ts';
import type { Logger } from '../logging/logger.ts';
import type { Timings } from '../config/timings.ts';
import { isLoopbackHost, withoutBrackets } from '../network/ip-address.ts';
import { DeliveryError } from '../outbound/delivery-error.ts';
import { TimeoutError, withTimeout } from '../process/with-timeout.ts';
import { classifySmtpError, isConfigurationError } from './classify-smtp-error.ts';
import { composeMessage, type Mailer, type SentMail } from './mailer.ts';

const DEFAULT_PORTS = { smtp: 587, smtps: 465 } as const;

/**
 * Reads the connection and TLS options from an SMTP URL. `smtps://` uses TLS from the start. `smtp://` requires
 * STARTTLS with a valid certificate, except for a loopback host or with `?ignoreTLS=true`.
 */
export function readSmtpUrl(smtpUrl: string) {
  const url = new URL(smtpUrl);
  const secure = url.protocol === 'smtps:';
  const ignoreTLS =
    !secure &&
    (isLoopbackHost(url.hostname.toLowerCase()) || url.searchParams.get('ignoreTLS') === 'true');

  return {
    host: withoutBrackets(url.hostname),
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

/** A mail with a hook that runs just before its end is sent. */
interface TrackedMail extends SendMailOptions {
  readonly beforeEnd: () => Promise<void>;
}

const isTracked = (mail: SendMailOptions): mail is TrackedMail => 'beforeEnd' in mail;

/** Yields the content, then calls `beforeEnd`. A transform stream would call it before the server asks for the mail. */
async function* runBeforeEnd(content: AsyncIterable<Uint8Array>, beforeEnd: () => Promise<void>) {
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

  // Nodemailer reads the mail once the server has asked for it (354), and sends the final dot at its end. If reading
  // fails, Nodemailer closes the connection without the dot, and the server must discard the mail (RFC 5321, 3.8).
  transport.use('stream', ({ data, message }, done) => {
    message?.processFunc((content) =>
      isTracked(data) ? Readable.from(runBeforeEnd(content, data.beforeEnd)) : content,
    );
    done();
  });

  return transport;
}

/** A recipient that the server refused while accepting others, as Nodemailer reports it. */
interface RefusedRecipient {
  readonly responseCode?: number | undefined;
  readonly recipient?: string | undefined;
}

/** Separates recipients refused temporarily (4xx) from those refused permanently. */
function splitRefused(errors: readonly RefusedRecipient[] = []): Pick<SentMail, 'deferred' | 'refused'> {
  const list = (isTemporary: boolean) =>
    errors
      .filter(({ responseCode = 500 }) => responseCode < 500 === isTemporary)
      .flatMap(({ recipient }) => recipient ?? []);

  return { deferred: list(true), refused: list(false) };
}

/** Tracks whether a mail was handed over, or which error prevented it. */
function trackHandOver(beforeEnd: (() => Promise<void>) | undefined, signal: AbortSignal) {
  let isHandedOver = false;
  let failure: Error | undefined;

  return {
    isHandedOver: () => isHandedOver,
    getFailure: () => failure,
    beforeEnd: async () => {
      try {
        // The pool may resend a mail over another connection.
        if (isHandedOver) throw new DeliveryError('retry', 'smtp-repeated', { isAmbiguous: true });
        await beforeEnd?.();
        signal.throwIfAborted();
        isHandedOver = true;
      } catch (error) {
        failure = error instanceof Error ? error : new SiteError('Refused.', { cause: error });
        throw failure;
      }
    },
  };
}

async function verify(
  transport: ReturnType<typeof openTransport>,
  { connect, greeting, socket }: Timings['smtp'],
): Promise<void> {
  try {
    await withTimeout(() => transport.verify(), connect + greeting + socket);
  } catch (error) {
    if (error instanceof TimeoutError) throw new DeliveryError('retry', 'smtp-timed-out');
    throw classifySmtpError(error, false);
  }
}

/** Creates a mailer that sends through an SMTP server with a small pool of connections. */
export function createSmtpMailer(
  smtpUrl: string,
  from: string,
  timeouts: Timings['smtp'],
  logger: Logger,
): Mailer {
  const transport = openTransport(smtpUrl, timeouts);

  return {
    send: async (mail, { signal, beforeEnd }) => {
      const handOver = trackHandOver(beforeEnd, signal);
      // The signal closes the connection. A server that responds byte by byte triggers no other timeout.
      const tracked: TrackedMail = {
        ...composeMessage(mail, from),
        signal,
        beforeEnd: handOver.beforeEnd,
      };

      try {
        const { messageId, rejectedErrors } = await transport.sendMail(tracked);
        const { deferred, refused } = splitRefused(rejectedErrors);
        if (refused.length > 0) {
          logger.error(
            { alert: 'recipient-refused', key: mail.key, refused: refused.length },
            'Not every recipient was accepted.',
          );
        }

        return { messageId, deferred, refused };
      } catch (error) {
        const hookFailure = handOver.getFailure();
        if (hookFailure && !signal.aborted) throw hookFailure;
        const classified = classifySmtpError(error, handOver.isHandedOver());
        if (isConfigurationError(error)) {
          logger.error(
            { alert: 'mail-configuration', reason: classified.reason, err: error },
            'The settings of the mail server are wrong: check SMTP_URL, login and certificate.',
          );
        }
        throw classified;
      }
    },
    verify: () => verify(transport, timeouts),
    close: () => transport.close(),
  };
}
