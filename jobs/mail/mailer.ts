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

export interface Mailer {
  /**
   * Hands the mail over; resolves to its Message-ID once it is accepted.
   * @throws DeliveryError
   */
  readonly send: (mail: OutgoingMail, signal: AbortSignal) => Promise<string>;
  /**
   * Finds out whether mails could be handed over now, without sending one: connection, TLS and
   * login of the SMTP server, or whether the folder can be written to.
   * @throws DeliveryError whose reason says what is wrong
   */
  readonly verify: () => Promise<void>;
  readonly close: () => void;
}
