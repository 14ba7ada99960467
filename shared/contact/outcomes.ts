/** What sales can do about a request. */
const outcomes = ['contacted', 'snooze', 'assign', 'unfit'] as const;
export type Outcome = (typeof outcomes)[number];

/** Values of `action` of the forms on the page behind a link in a mail to sales. */
export const followUpActions = [...outcomes, 'undo'] as const;

/** Most characters of why a request is not a fit. */
export const MAX_UNFIT_REASON = 500;

/** Values of the buttons of a held request's page. */
export const heldRequestActions = ['release', 'spam'] as const;
