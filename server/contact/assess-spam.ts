import type { ContactFields } from '../../shared/contact/contact-schema.ts';
import { findSpamSignals, type SpamSignal } from '../../shared/contact/spam-signals.ts';
import type { FormSignals } from '../../shared/contact/contact-request.ts';
import type { RateDoubt } from './submission-limits.ts';

/** Words of `quarantine_reason`. */
export type SpamReason = 'honeypot' | SpamSignal | RateDoubt;

export type Verdict =
  | { readonly kind: 'clean' }
  /** A proof of work decides. */
  | { readonly kind: 'doubtful'; readonly reasons: readonly SpamReason[] }
  | { readonly kind: 'spam'; readonly reasons: readonly SpamReason[] };

/**
 * Judges a request by its content and the form's own signals. Signals that are missing speak
 * neither for nor against it: scripts and forms without JavaScript have none.
 */
export function assessSpam(
  fields: Pick<ContactFields, 'name' | 'message'>,
  { honeypot = '', filled_in_ms: filledInMs }: FormSignals,
): Verdict {
  const doubts = findSpamSignals(fields, filledInMs);
  if (honeypot.trim() !== '') return { kind: 'spam', reasons: ['honeypot', ...doubts] };

  return doubts.length === 0 ? { kind: 'clean' } : { kind: 'doubtful', reasons: doubts };
}

/** The same verdict with the doubts that follow from how many requests came before. */
export function addDoubts(verdict: Verdict, doubts: readonly RateDoubt[]): Verdict {
  if (doubts.length === 0) return verdict;
  if (verdict.kind === 'clean') return { kind: 'doubtful', reasons: doubts };

  return { ...verdict, reasons: [...verdict.reasons, ...doubts] };
}

/** Whether a proof of work ends the quarantine of a request that is held for these reasons, if any. */
export function canBeSettled(heldFor: string | undefined): boolean {
  return heldFor !== undefined && !heldFor.split(',').includes('honeypot' satisfies SpamReason);
}
