/** A link whose URL the site itself makes, never a visitor. */
export interface MailLink {
  readonly label: string;
  readonly url: string;
}

/** A named value. Without a `url` the value may be untrusted and is defanged. */
export interface MailRow {
  readonly label: string;
  readonly value: string;
  /** What the value links to; the value was validated to be just that. */
  readonly url?: string | undefined;
}

/** One of several things a mail is about. */
export interface MailItem {
  readonly title: string;
  readonly rows: readonly MailRow[];
  readonly link: MailLink;
}

export interface MailSection {
  readonly title: string;
  readonly isUrgent: boolean;
  /** A line for each item, without the labels of its rows: for many items. */
  readonly isCompact: boolean;
  readonly items: readonly MailItem[];
}

/** The content of a mail, from which the text and HTML parts are rendered. */
export interface MailContent {
  readonly siteName: string;
  readonly subject: string;
  /** What a mailbox lists after the subject. */
  readonly preview: string;
  readonly heading: string;
  readonly lead: string;
  /** The one thing to see at a glance. */
  readonly highlight: (MailRow & { readonly isUrgent: boolean }) | null;
  readonly rows: readonly MailRow[];
  /** The visitor's message. */
  readonly message: string | null;
  /** What the mail asks to do. */
  readonly link: MailLink | null;
  readonly sections: readonly MailSection[];
  readonly note: string;
  /** What the note offers. */
  readonly noteLink: MailLink | null;
}
