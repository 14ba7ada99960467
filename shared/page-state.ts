import type { ListedArticle } from './content/article.ts';
import type { FieldErrors } from './problem.ts';
import type { Site } from './site.ts';

/** A labeled value from the visitor or the site. */
export interface Fact {
  readonly label: string;
  readonly value: string;
  /** A `mailto` or `tel` link. */
  readonly url?: string | undefined;
}

/** Actions available for an open request. */
export interface OutcomeChoices {
  /** Reminder times to choose from. `isLate`: after the promised response time. */
  readonly times: ReadonlyArray<{
    readonly value: string;
    readonly label: string;
    readonly isLate: boolean;
  }>;
  /** First and last day to choose from (`YYYY-MM-DD`), and the reminder's time of day. */
  readonly days: { readonly first: string; readonly last: string; readonly timeOfDay: string };
  /** Whether a reminder at the promised time is still scheduled. */
  readonly isPromiseAhead: boolean;
  /** Whether the request can be assigned to someone else. */
  readonly hasColleagues: boolean;
}

/** State of the follow-up page, which mails to sales link to. Times are formatted in the configured zone. */
export interface FollowUpState {
  readonly company: string;
  /** Everything the visitor entered, except company and message. */
  readonly facts: readonly Fact[];
  readonly message: string | null;
  /** A link that opens a draft in the mail program. Null if the visitor's address rejects mail. */
  readonly reply: { readonly label: string; readonly url: string } | null;
  readonly answerBy: string;
  /** The page's own path with the reader's mark, which its forms post to. */
  readonly path: string;
  /**
   * Whether the link was mailed only to sales. With any other link, the page shows just the request, and the site mails
   * a confirmation of each action.
   */
  readonly isKnown: boolean;
  /** The reader's address in SALES_EMAIL. Null if the link names nobody or the reader is unknown. */
  readonly reader: string | null;
  /** If the link names nobody: everyone's own path to this page. */
  readonly readers: ReadonlyArray<{ readonly address: string; readonly path: string }>;
  /** Path for readers who aren't `reader`, such as those of a forwarded mail. Null if there is nobody else. */
  readonly otherPath: string | null;
  /** The assignee. Null if everyone in sales is responsible or the reader is unknown. */
  readonly assignedTo: string | null;
  /** Whether somebody handed it to a colleague. */
  readonly isHandedOver: boolean;
  /** Time of contact. */
  readonly contactedAt: string | null;
  readonly unfitAt: string | null;
  /** Time of a future reminder. */
  readonly snoozedUntil: string | null;
  /** Whether the reminder is after the promised response time. */
  readonly isSnoozedLate: boolean;
  /** Whether the request is settled but one mail is already being sent and can't be stopped. */
  readonly isMailUnderWay: boolean;
  /** The undone action, if undoing was the latest event. */
  readonly undone: { readonly what: string; readonly at: string } | null;
  /** The latest action if it can be undone. `until` is null if there is no time limit. */
  readonly undo: { readonly eventId: string; readonly what: string; readonly until: string | null } | null;
  /** Undefined for a settled request. */
  readonly choices?: OutcomeChoices;
  /** Earlier requests from the same address or company. Null if there are none or the reader is unknown. */
  readonly earlier: {
    readonly summary: string;
    readonly requests: ReadonlyArray<{
      readonly id: string;
      readonly receivedAt: string;
      readonly who: string;
      readonly outcome: string;
    }>;
  } | null;
  /** Empty if the reader is unknown. */
  readonly history: ReadonlyArray<{
    readonly at: string;
    readonly what: string;
    readonly detail: string;
  }>;
  /** Errors in the submitted form. */
  readonly errors: FieldErrors;
}

/** The visitor's full request, for the decision on spam. Times are formatted in the configured zone. */
export interface HeldRequestContent {
  readonly reasons: readonly string[];
  readonly rows: ReadonlyArray<{ readonly label: string; readonly value: string }>;
  readonly message: string | null;
  /** When it was marked as spam. */
  readonly spamAt: string | null;
  /** When it will be erased unless released. */
  readonly erasedAt: string;
}

/** Another held request from the same mail. */
export interface ListedRequest {
  /** Path of its own page. */
  readonly path: string;
  readonly company: string;
  readonly receivedAt: string;
  readonly reasons: readonly string[];
}

/** State of the page for a held request. */
export interface HeldRequestState {
  readonly company: string;
  readonly name: string;
  readonly receivedAt: string;
  /** Null once the request is decided, because the mail may have been forwarded. */
  readonly content: HeldRequestContent | null;
  readonly releasedAt: string | null;
  readonly answerBy: string;
  /** Undecided requests in order of arrival. */
  readonly others: readonly ListedRequest[];
}

/** Result of submitting the newsletter form without scripts. */
export interface NewsletterFormResult {
  /** The address as typed. */
  readonly email: string;
  readonly error?: string | undefined;
  /** Message in the error banner. */
  readonly banner?: string;
}

/** State of the pages that newsletter mails link to. */
export interface NewsletterLinkState {
  readonly task: 'confirm' | 'unsubscribe';
  readonly isDone: boolean;
}

export const INCORRECT_PASSWORD = 'Incorrect password. Please try again.';

/** State of the insights page and its gate. */
export interface InsightsState {
  /** False if no password is configured, which opens the listing to everyone. */
  readonly isGated: boolean;
  /** The articles, newest first. Undefined while the listing is locked. */
  readonly articles?: readonly ListedArticle[];
  /** Message after submitting a password without scripts. */
  readonly gateError?: string;
}

/** A page's state, sent to the browser as JSON. */
export interface PageState {
  readonly site: Site;
  /** Shows the 404 screen for any URL. */
  readonly isNotFound: boolean;
  readonly followUp?: FollowUpState;
  readonly heldRequest?: HeldRequestState;
  readonly newsletterFormResult?: NewsletterFormResult;
  readonly newsletterLink?: NewsletterLinkState;
  readonly insights?: InsightsState;
}
