/*
 * What the states of a request are in SQL, for every query about `contact_submissions`. In TypeScript
 * `getSubmissionState` and `getAnswerBy` say the same.
 */

/** Waits for an answer. */
export const IS_OPEN = 'contacted_at is null and quarantined_at is null and anonymised_at is null';
/** Held as possible spam. */
export const IS_HELD = 'quarantined_at is not null and anonymised_at is null';
/** Held, and nobody has said yet whether it is spam. */
export const IS_UNDECIDED = `${IS_HELD} and spam_at is null`;
/** The same, and no mail to sales lists it. */
export const IS_UNREPORTED = `${IS_UNDECIDED} and held_mail_id is null`;
/** From when on the time counts in which an answer is promised. */
export const PROMISED_AT = 'coalesce(released_at, received_at)';
/** That time, whose milliseconds are the parameter, has passed. */
export const IS_DUE = `${PROMISED_AT} + ? * interval '1 millisecond' <= now()`;
