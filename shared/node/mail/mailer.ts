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
  /** Unique, and the same at every attempt; Message-ID and file name are derived from it. */
  readonly key: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly attachments?: readonly MailAttachment[];
  /** A mailbox of the settings, or the parts of one. */
  readonly replyTo?: string | { readonly name: string; readonly address: string };
  readonly headers: Readonly<Record<string, string>>;
  /** Keys of the mails before it in its conversation; it answers the last one. */
  readonly references?: readonly string[];
}

interface SendOptions {
  /** Aborts the attempt; a mail that was not sent by then isn't. */
  readonly signal: AbortSignal;
  /**
   * Called once, when all but the mail's end is sent: only when it resolves can the server accept the
   * mail. When it rejects, the connection is closed and nobody gets the mail.
   */
  readonly beforeEnd?: () => Promise<void>;
}

/** A mail that was accepted. */
export interface SentMail {
  readonly messageId: string;
  /** Addresses that were refused temporarily (4xx), while others were accepted. */
  readonly deferred: readonly string[];
  /** Addresses that were refused for good, while others were accepted: an alert has been raised. */
  readonly refused: readonly string[];
}

/** Who refused a mail for the moment, while others took it, as its row remembers them. */
export interface Deferral {
  readonly recipients: readonly string[];
  /** Milliseconds until it is tried for them alone. */
  readonly delayMs: number;
}

export interface Mailer {
  /**
   * Sends the mail; resolves once it is accepted, for one recipient at least.
   * @throws DeliveryError; or what `beforeEnd` threw
   */
  readonly send: (mail: OutgoingMail, options: SendOptions) => Promise<SentMail>;
  /**
   * Checks whether mails could be sent now, without sending one: connection, TLS and login of the SMTP
   * server, or whether the folder is writable.
   * @throws DeliveryError whose reason says what is wrong
   */
  readonly verify: () => Promise<void>;
  readonly close: () => void;
}

/**
 * Sends a mail, and once more without what visitors typed where the mail server refuses that.
 * @param send sends it, without their words where `wasRefused`
 * @param areWordsRefused whether an error of `send` is about the words
 * @throws what `send` throws
 */
export async function sendWithoutRefusedWords<Result>(
  send: (wasRefused: boolean) => Promise<Result>,
  areWordsRefused = (error: unknown) => toDeliveryError(error).isContentRefused,
): Promise<Result> {
  try {
    return await send(false);
  } catch (error) {
    if (!areWordsRefused(error)) throw error;

    return send(true);
  }
}

/** `Name <site@example.com>` and `site@example.com` → `example.com`, in ASCII, as headers need it. */
function getDomain(mailbox: string): string {
  return domainToASCII(/@([^@]+)$/.exec(parseMailAddress(mailbox))?.[1] ?? '') || 'localhost';
}

/** The same delivery always has the same Message-ID, so that a repeated mail is recognized. */
function makeMessageId(key: string, from: string): string {
  return `<${key}@${getDomain(from)}>`;
}

/** Nodemailer's options for a mail; it may read neither files nor URLs named in the content. */
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
