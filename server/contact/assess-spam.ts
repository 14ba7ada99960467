import type { ContactFields } from '../../shared/contact/contact-schema.ts';
import type { FormSignals } from '../../shared/contact/contact-request.ts';
import { findSpamSignals, type SpamSignal } from '../../shared/contact/spam-signals.ts';
import type { RateSignal } from './submission-limits.ts';

/** Words of `quarantine_reason`. */
type SpamReason = 'honeypot' | SpamSignal | RateSignal;

export type SpamAssessment =
  | { readonly kind: 'clean' }
  /** A proof of work decides. */
  | { readonly kind: 'suspected'; readonly reasons: readonly SpamReason[] }
  | { readonly kind: 'spam'; readonly reasons: readonly SpamReason[] };

/**
 * Assesses a request by its content and the form's own signals. Missing signals count neither for nor
 * against it: scripts and forms without JavaScript have none.
 */
export function assessSpam(
  fields: Pick<ContactFields, 'name' | 'message'>,
  { honeypot = '', filled_in_ms: filledInMs }: FormSignals,
): SpamAssessment {
  const signals = findSpamSignals(fields, filledInMs);
  if (honeypot.trim() !== '') return { kind: 'spam', reasons: ['honeypot', ...signals] };

  return signals.length === 0 ? { kind: 'clean' } : { kind: 'suspected', reasons: signals };
}

/** The same assessment with the signals that follow from how many requests came before. */
export function addRateSignals(
  assessment: SpamAssessment,
  signals: readonly RateSignal[],
): SpamAssessment {
  if (signals.length === 0) return assessment;
  if (assessment.kind === 'clean') return { kind: 'suspected', reasons: signals };

  return { ...assessment, reasons: [...assessment.reasons, ...signals] };
}

/** Whether a proof of work releases a request that is held for these reasons, if it is held. */
export function isReleasedByProof(heldFor: string | undefined): boolean {
  return heldFor !== undefined && !heldFor.split(',').includes('honeypot' satisfies SpamReason);
}
