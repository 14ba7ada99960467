import type { Submission } from './contact-submission-store.ts';

type Promised = Pick<Submission, 'receivedAt' | 'releasedAt'>;

/**
 * By when the visitor was promised an answer. The time of a request held as possible spam counts
 * from its release: until then nobody could have answered it.
 * @param dueAfterMs time promised, in milliseconds; elapsed time, so that 24 hours are as long on
 *   the day the clocks change
 */
export function getAnswerBy({ receivedAt, releasedAt }: Promised, dueAfterMs: number): Date {
  return new Date((releasedAt ?? receivedAt).getTime() + dueAfterMs);
}
