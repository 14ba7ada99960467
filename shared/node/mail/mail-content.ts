/** A link. Its URL must come from the site, never from a visitor. */
export interface MailLink {
  readonly label: string;
  readonly url: string;
}

/** A named value. It is defanged unless `url` or `isTrusted` is set. */
export interface MailRow {
  readonly label: string;
  readonly value: string;
  /** The URL that the value links to. It must be validated. */
  readonly url?: string | undefined;
  /** Set if the value comes from the site, not from a visitor. */
  readonly isTrusted?: true;
}

/** An entry in a section, such as a request. */
export interface MailItem {
  readonly title: string;
  readonly rows: readonly MailRow[];
  readonly link: MailLink;
}

export interface MailSection {
  readonly title: string;
  /** Shows each item on one line, without labels. */
  readonly isCompact: boolean;
  readonly items: readonly MailItem[];
}

/** A list of short texts from the site. */
export interface MailList {
  readonly title: string;
  /** Whether the list is numbered. */
  readonly isSequence: boolean;
  readonly items: readonly string[];
}

/** One line of a chart. */
export interface MailBar {
  /** Defanged unless `isTrusted` is set. */
  readonly label: string;
  /** Set if the label is an address from the settings. */
  readonly isTrusted?: true;
  /** Length of the bar. */
  readonly value: number;
  /** Text in the last column. */
  readonly note: string;
}

/** A bar chart. */
export interface MailChart {
  readonly title: string;
  /** Headings of the label, value and note columns. */
  readonly columns: readonly [string, string, string];
  /** At least one bar. */
  readonly bars: readonly MailBar[];
}

/** The content of a mail, from which the text and HTML parts are rendered. */
export interface MailContent {
  readonly siteName: string;
  readonly subject: string;
  /** Mail programs show this text after the subject. */
  readonly preview: string;
  readonly heading: string;
  readonly lead: string;
  /** The most important value. */
  readonly highlight: (MailRow & { readonly isUrgent: boolean }) | null;
  readonly rows: readonly MailRow[];
  /** The visitor's message. */
  readonly message: string | null;
  readonly lists?: readonly MailList[];
  /** Button before `link` that opens a reply to the visitor. */
  readonly reply?: MailLink | null;
  /** The main action. */
  readonly link: MailLink | null;
  readonly sections: readonly MailSection[];
  readonly charts?: readonly MailChart[];
  readonly note: string;
  /** Link after the note. */
  readonly noteLink: MailLink | null;
}
