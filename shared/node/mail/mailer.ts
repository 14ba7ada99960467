import { domainToASCII } from 'node:url';
import type { SendMailOptions } from 'nodemailer';
import { parseMailAddress } from '../../mailbox.ts';
import { toDeliveryError } from '../outbound/delivery-error.ts';

interface MailAttachment {
  readonly filename: string;
  readonly contentType: string;
  readonly content: string;
}

/** A mail with its text and HTML parts. */
export interface OutgoingMail {
  /** Unique per mail, but the same in every attempt. The Message-ID and the file name are derived from it. */
  readonly key: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly attachments?: readonly MailAttachment[];
  readonly replyTo?: string | { readonly name: string; readonly address: string };
  readonly headers: Readonly<Record<string, string>>;
  /** Keys of the thread's previous mails. This mail replies to the last one. */
  readonly references?: readonly string[];
}

interface SendOptions {
  /** Aborts the attempt. The mail isn't sent unless it was already handed over. */
  readonly signal: AbortSignal;
  /**
   * Called once, just before the end of the mail is sent. The server can't accept the mail until this resolves. If it
   * rejects, the connection is closed and nobody gets the mail.
   */
  readonly beforeEnd?: () => Promise<void>;
}

/** A mail that was accepted. */
export interface SentMail {
  readonly messageId: string;
  /** Addresses that were refused temporarily (4xx) while others were accepted. */
  readonly deferred: readonly string[];
  /** Addresses that were refused permanently while others were accepted. An alert has been raised. */
  readonly refused: readonly string[];
}

/** Recipients that were refused temporarily while others were accepted. */
export interface Deferral {
  readonly recipients: readonly string[];
  /** Milliseconds until the mail is sent to them again. */
  readonly delayMs: number;
}

export interface Mailer {
  /**
   * Sends the mail. Resolves once it is accepted for at least one recipient.
   * @throws DeliveryError, or the error of `beforeEnd`
   */
  readonly send: (mail: OutgoingMail, options: SendOptions) => Promise<SentMail>;
  /**
   * Checks the SMTP server's connection, TLS and login, or whether the folder is writable. Sends no mail.
   * @throws DeliveryError whose reason names the problem
   */
  readonly verify: () => Promise<void>;
  readonly close: () => void;
}

/**
 * Sends a mail. If the server refuses its content, sends it again without visitors' words.
 * @param send sends the mail, without their words if `wasRefused`
 * @param isTextRefused returns whether an error is about the content
 */
export async function sendOmittingRefusedText<Result>(
  send: (wasRefused: boolean) => Promise<Result>,
  isTextRefused = (error: unknown) => toDeliveryError(error).isContentRefused,
): Promise<Result> {
  try {
    return await send(false);
  } catch (error) {
    if (!isTextRefused(error)) throw error;

    return send(true);
  }
}

/** Returns a mailbox's domain in ASCII, for use in headers. */
function getDomain(mailbox: string): string {
  return domainToASCII(/@([^@]+)$/.exec(parseMailAddress(mailbox))?.[1] ?? '') || 'localhost';
}

/** Returns the Message-ID. Retries reuse it, so that receivers recognize duplicates. */
function makeMessageId(key: string, from: string): string {
  return `<${key}@${getDomain(from)}>`;
}

/** Returns Nodemailer's options for a mail. They prevent Nodemailer from reading files or URLs named in the content. */
export function composeMessage(mail: OutgoingMail, from: string): SendMailOptions {
  const references = (mail.references ?? []).map((key) => makeMessageId(key, from));

  return {
    from,
    to: [...mail.to],
    replyTo: mail.replyTo,
    messageId: makeMessageId(mail.key, from),
    inReplyTo: references.at(-1),
    references,
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    attachments: (mail.attachments ?? []).map((attachment) => ({ ...attachment })),
    headers: { ...mail.headers, 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
