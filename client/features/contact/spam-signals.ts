import type { ContactFields } from '../../../shared/contact/contact-schema.ts';
import { findSpamDoubts } from '../../../shared/contact/spam-doubts.ts';
import type { SpamSignals, WorkProof } from '../../../shared/contact/spam-signals.ts';
import { Second } from '../../../shared/time.ts';

/** The longest a visitor waits for a proof; without it the server decides. */
const PATIENCE = 10 * Second;

/** A proof of work, or undefined when none comes in time. Only who is in doubt loads the code. */
export async function proveWorkInTime(): Promise<WorkProof | undefined> {
  const signal = AbortSignal.timeout(PATIENCE);
  const givenUp = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined));
  });
  const proving = import('./prove-work.ts').then((module) => module.proveWork(signal));

  return Promise.race([proving, givenUp]).catch(() => undefined);
}

/** What the form saw of its being filled in. */
export interface FormObservations {
  /** What is in the field that no person sees. */
  readonly honeypot: string;
  /** Milliseconds since the form was shown. */
  readonly filledInMs: number;
}

/** The signals sent with a request; a doubtful one gets a proof of work first. Never rejects. */
export async function gatherSpamSignals(
  fields: ContactFields,
  { honeypot, filledInMs }: FormObservations,
): Promise<SpamSignals> {
  const isInDoubt = honeypot === '' && findSpamDoubts(fields, filledInMs).length > 0;

  return {
    honeypot,
    filled_in_ms: Math.round(filledInMs),
    proof: isInDoubt ? await proveWorkInTime() : undefined,
  };
}
