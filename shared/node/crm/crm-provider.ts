import { getIndustryLabel } from '../../contact/industry-options.ts';
import type { Submission } from '../contact/contact-submission-store.ts';

/** A lead as every CRM gets it. */
export interface CrmRecord {
  readonly submission_id: string;
  readonly name: string;
  readonly email: string;
  readonly company: string;
  readonly phone: string | null;
  readonly industry: string | null;
  readonly industry_label: string | null;
  readonly message: string | null;
  readonly submitted_at: string;
  readonly received_at: string;
  readonly source: Readonly<Record<string, string>>;
}

/** What earlier tries and steps of an export made in the account of this provider. */
export interface RemoteSteps {
  /** The other side's id of what a step made; undefined when it isn't done. */
  readonly get: (step: string) => string | undefined;
  /** Keeps the id at once, so that a retry goes on after this step. */
  readonly record: (step: string, remoteId: string) => Promise<void>;
}

/** One try of one export. */
export interface ExportContext {
  /** The delivery's id, the same at every try: the key by which the other side knows a repeat. */
  readonly deliveryId: string;
  /**
   * 1 for the first try; from 2 on the record may be there already and must not be made twice,
   * also after a process was killed or an answer was lost.
   */
  readonly attempt: number;
  readonly steps: RemoteSteps;
  /** The reason of this export's last failed try, in any worker; null when there was none. */
  readonly lastFailure: string | null;
  /**
   * Does the work when nobody else, in any worker, is at work under the same key.
   * @throws what `work` throws; also when the wait is too long, to be tried again
   */
  readonly tryWithAdvisoryLock: <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;
  /** Aborted when the try has taken too long. */
  readonly signal: AbortSignal;
}

/** One thing `crm test` found out, in one line. */
export interface CrmFinding {
  /** What was looked at, such as `credentials`. */
  readonly check: string;
  /** `warn`: the export works, and won't any more unless somebody acts. */
  readonly state: 'ok' | 'warn' | 'fail';
  /** Exactly what is right or wrong, and what to do about it; no secret, no personal data. */
  readonly detail: string;
  /** The other side refuses this site whatever it sends: no export can go through. */
  readonly isRefusal?: true;
  /** The other side asks this site to call later, whatever it sends. */
  readonly isLimit?: true;
}

export interface CrmProvider {
  /**
   * Hands one lead over; resolves to the CRM's id for it, if it has one.
   * @throws DeliveryError
   */
  readonly exportRecord: (record: CrmRecord, context: ExportContext) => Promise<string | null>;
  /**
   * Tries address, credentials, rights and mapped fields without writing a lead. Resolves to what
   * it found, in the order tried, ending with the first fault that makes the rest pointless.
   */
  readonly test: (signal: AbortSignal) => Promise<readonly CrmFinding[]>;
}

export function makeCrmRecord(submission: Submission): CrmRecord {
  return {
    submission_id: submission.id,
    name: submission.name,
    email: submission.email,
    company: submission.company,
    phone: submission.phone,
    industry: submission.industry,
    industry_label: submission.industry && getIndustryLabel(submission.industry),
    message: submission.message,
    submitted_at: submission.submittedAt.toISOString(),
    received_at: submission.receivedAt.toISOString(),
    source: submission.source ?? {},
  };
}
