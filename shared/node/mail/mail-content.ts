/** A link whose URL the site itself makes, never a visitor. */
export interface MailLink {
  readonly label: string;
  readonly url: string;
}

/** A named value. Unless it has a `url` or is the site's own, it may be untrusted and is defanged. */
export interface MailRow {
  readonly label: string;
  readonly value: string;
  /** What the value links to; the value was validated to be just that. */
  readonly url?: string | undefined;
  /** The site made it of its own settings and times. */
  readonly isOwn?: true;
}

/** One of several things a mail is about. */
export interface MailItem {
  readonly title: string;
  readonly rows: readonly MailRow[];
  readonly link: MailLink;
}

export interface MailSection {
  readonly title: string;
  /** A line for each item, without the labels of its rows: for many items. */
  readonly isCompact: boolean;
  readonly items: readonly MailItem[];
}

/** Short texts of our own, one below the other. */
export interface MailList {
  readonly title: string;
  /** Steps in their order, rather than a list of points. */
  readonly isSequence: boolean;
  readonly items: readonly string[];
}

/** One line of a chart. */
export interface MailBar {
  /** Unless it is the site's own, it may be untrusted and is defanged. */
  readonly label: string;
  /** An address of the site's own settings. */
  readonly isOwn?: true;
  /** What the bar shows. */
  readonly value: number;
  /** What the last column has. */
  readonly note: string;
}

/** A table of numbers, each with a bar of its length. */
export interface MailChart {
  readonly title: string;
  /** Heads of the labels, the values and the notes. */
  readonly columns: readonly [string, string, string];
  /** One at least. */
  readonly bars: readonly MailBar[];
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
  readonly lists?: readonly MailList[];
  /** The first button, before `link`: opens an answer to the visitor. */
  readonly reply?: MailLink | null;
  /** What the mail asks to do. */
  readonly link: MailLink | null;
  readonly sections: readonly MailSection[];
  readonly charts?: readonly MailChart[];
  readonly note: string;
  /** What the note offers. */
  readonly noteLink: MailLink | null;
}
