/** A mail in both forms. */
export interface OutgoingMail {
  /** Unique and the same at every try; the Message-ID and the file's name are made from it. */
  readonly key: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly replyTo?: { readonly name: string; readonly address: string };
  readonly headers: Readonly<Record<string, string>>;
}

export interface SendOptions {
  /** Ends the try; what was not handed over by then isn't. */
  readonly signal: AbortSignal;
  /**
   * Asked once, when all but the mail's end is on its way: only when it resolves may the mail be
   * taken. When it rejects, the mail is cut off and nobody gets it.
   */
  readonly beforeEnd?: () => Promise<void>;
}

/** A mail that was accepted. */
export interface SentMail {
  readonly messageId: string;
  /** Addresses that were refused for the moment, while others were accepted. */
  readonly deferred: readonly string[];
}

export interface Mailer {
  /**
   * Hands the mail over; resolves once it is accepted, for one recipient at least.
   * @throws DeliveryError; or what `beforeEnd` threw
   */
  readonly send: (mail: OutgoingMail, options: SendOptions) => Promise<SentMail>;
  /**
   * Finds out whether mails could be handed over now, without sending one: connection, TLS and
   * login of the SMTP server, or whether the folder can be written to.
   * @throws DeliveryError whose reason says what is wrong
   */
  readonly verify: () => Promise<void>;
  readonly close: () => void;
}
