import type { ListedArticle } from './content/article.ts';
import type { FieldErrors } from './problem.ts';
import type { Site } from './site.ts';

/** A named value as the visitor, or the site, gave it. */
export interface Fact {
  readonly label: string;
  readonly value: string;
  /** To write to the address, or to dial the number. */
  readonly url?: string | undefined;
}

/** What can be done about an open request, and what else it needs. */
export interface OutcomeChoices {
  /** Times at which one can be reminded; `isLate` when the promised time is over by then. */
  readonly times: ReadonlyArray<{
    readonly value: string;
    readonly label: string;
    readonly isLate: boolean;
  }>;
  /** First and last day one can choose, as `YYYY-MM-DD`, and the time of day at which one is reminded then. */
  readonly days: { readonly first: string; readonly last: string; readonly timeOfDay: string };
  /** A mail comes at the promised time. */
  readonly isPromiseAhead: boolean;
  /** It can be handed to somebody. */
  readonly hasColleagues: boolean;
}

/**
 * What the page behind the link in a mail to sales shows. Times are as people read them, in the configured
 * zone.
 */
export interface FollowUpState {
  readonly company: string;
  /** All that the visitor gave, without company and message. */
  readonly facts: readonly Fact[];
  readonly message: string | null;
  /** Opens an answer in the reader's mail program; null if the visitor's address refuses mail. */
  readonly reply: { readonly label: string; readonly url: string } | null;
  readonly answerBy: string;
  /** The page's own path with the mark of who reads it: where its forms are sent. */
  readonly path: string;
  /** The link was mailed to sales alone. By another link the page shows the request only, and mails what it does. */
  readonly isKnown: boolean;
  /** The address of sales whose link it is; null when it names nobody, or the reader is unknown. */
  readonly reader: string | null;
  /** Where it names nobody: the page as each of sales has it. */
  readonly readers: ReadonlyArray<{ readonly address: string; readonly path: string }>;
  /** Where who isn't `reader` says so, as with a mail that was passed on; null where there is nobody else. */
  readonly otherPath: string | null;
  /** The address of sales that has the request; null for all of them, or when the reader is unknown. */
  readonly assignedTo: string | null;
  /** Somebody handed it to a colleague. */
  readonly isHandedOver: boolean;
  /** When it was marked as contacted. */
  readonly contactedAt: string | null;
  readonly unfitAt: string | null;
  /** When somebody is reminded, if that is still to come. */
  readonly snoozedUntil: string | null;
  /** That is after the promised time. */
  readonly isSnoozedLate: boolean;
  /** Settled, and a mail is just being sent that can't be stopped any more. */
  readonly isMailUnderWay: boolean;
  /** What was undone, if that was the last thing done. */
  readonly undone: { readonly what: string; readonly at: string } | null;
  /** The last thing done, while it can be undone; `until` is null where that is always. */
  readonly undo: { readonly eventId: string; readonly what: string; readonly until: string | null } | null;
  /** Undefined for a settled request. */
  readonly choices?: OutcomeChoices;
  /** Earlier requests of the same address or company; null when there are none, or when the reader is unknown. */
  readonly earlier: {
    readonly summary: string;
    readonly requests: ReadonlyArray<{
      readonly id: string;
      readonly receivedAt: string;
      readonly who: string;
      readonly outcome: string;
    }>;
  } | null;
  /** Empty when the reader is unknown. */
  readonly history: ReadonlyArray<{
    readonly at: string;
    readonly what: string;
    readonly detail: string;
  }>;
  /** What is wrong with the form that was sent, by field. */
  readonly errors: FieldErrors;
}

/** All that the visitor sent, for the decision. Times as people read them, in the configured zone. */
export interface HeldRequestContent {
  /** In words. */
  readonly reasons: readonly string[];
  readonly rows: ReadonlyArray<{ readonly label: string; readonly value: string }>;
  readonly message: string | null;
  /** When somebody marked it as spam. */
  readonly spamAt: string | null;
  /** When it is erased unless somebody releases it. */
  readonly erasedAt: string;
}

/** A held request that the same mail lists. */
export interface ListedRequest {
  /** Of its own page. */
  readonly path: string;
  readonly company: string;
  readonly receivedAt: string;
  /** In words. */
  readonly reasons: readonly string[];
}

/** What the page behind the link of a held request shows. */
export interface HeldRequestState {
  readonly company: string;
  readonly name: string;
  readonly receivedAt: string;
  /** Only as long as it is held: whoever the mail was passed on to sees no more than is needed. */
  readonly content: HeldRequestContent | null;
  readonly releasedAt: string | null;
  readonly answerBy: string;
  /** In order of arrival, without those that were decided. */
  readonly others: readonly ListedRequest[];
}

/** Result of a newsletter box that was posted without JavaScript. */
export interface NewsletterFormResult {
  /** As it was typed. */
  readonly email: string;
  /** What is wrong with it. */
  readonly error?: string | undefined;
  /** Whole sentence of the red banner. */
  readonly banner?: string;
}

/** What the page behind a link in a newsletter mail shows. */
export interface NewsletterLinkState {
  readonly task: 'confirm' | 'unsubscribe';
  readonly isDone: boolean;
}

/** The sentence about a password that isn't the right one; others say why it could not be checked. */
export const INCORRECT_PASSWORD = 'Incorrect password. Please try again.';

/** What the page of the insights knows of the gate in front of its listing. */
export interface InsightsState {
  /** False where no password is configured: then the listing is open to everyone. */
  readonly isGated: boolean;
  /** The listing, the newest first; absent while it is locked. */
  readonly articles?: readonly ListedArticle[];
  /** Whole sentence of the red box, when a password was posted without JavaScript. */
  readonly gateError?: string;
}

/** State of the page, from the server; travels to the browser as a JSON data block. */
export interface PageState {
  readonly site: Site;
  /** The path has no page: the not-found screen is shown whatever the URL matches. */
  readonly isNotFound: boolean;
  readonly followUp?: FollowUpState;
  readonly heldRequest?: HeldRequestState;
  readonly newsletterFormResult?: NewsletterFormResult;
  readonly newsletterLink?: NewsletterLinkState;
  readonly insights?: InsightsState;
}
