/** Actions that sales can take on a request. */
const outcomes = ['contacted', 'snooze', 'assign', 'unfit'] as const;
export type Outcome = (typeof outcomes)[number];

/** Values of `action` in the follow-up page's forms. */
export const followUpActions = [...outcomes, 'undo'] as const;

/** Maximum length in characters. */
export const MAX_UNFIT_REASON = 500;

/** Button values on a held request's page. */
export const heldRequestActions = ['release', 'spam'] as const;
