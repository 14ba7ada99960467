import { mapContactFields, type ContactFields } from '../../contact/contact-schema.ts';
import { getIndustryLabel } from '../../contact/industry-options.ts';
import type { CheckResult } from '../monitoring/check.ts';
import type { Submission } from '../contact/contact-submission-store.ts';

export interface CrmRecord extends ContactFields {
  readonly submission_id: string;
  readonly industry_label: string | null;
  readonly submitted_at: string;
  readonly received_at: string;
  readonly source: Readonly<Record<string, string>>;
}

/** Ids of the records that this export created in the CRM so far. */
export interface RemoteSteps {
  /** Returns the CRM's id of the record that a step created; undefined if there is none yet. */
  readonly get: (step: string) => string | undefined;
  /** Stores the id immediately, so that a retry continues after this step. */
  readonly record: (step: string, remoteId: string) => Promise<void>;
}

export interface ExportContext {
  /** The delivery's id, the same at every attempt: an idempotency key. */
  readonly deliveryId: string;
  /** Starts at 1. If it is higher, an earlier attempt may have created the record. */
  readonly attempt: number;
  readonly steps: RemoteSteps;
  /** Runs the work while holding a lock that all workers share; throws if waiting for it takes too long. */
  readonly withAdvisoryLock: <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;
  readonly signal: AbortSignal;
}

/** The result of one check of `ops crm test`. A `warn` means that exports work now but will stop. */
export interface CrmCheckResult extends CheckResult {
  /** Set if the CRM refuses every request of this site, so that no export can succeed. */
  readonly isRefusal?: true;
  /** Set if the CRM asks this site to delay all its requests. */
  readonly isLimit?: true;
}

export interface CrmProvider {
  /** Exports one lead and returns the CRM's id for it, if there is one. Throws DeliveryError. */
  readonly exportRecord: (record: CrmRecord, context: ExportContext) => Promise<string | null>;
  /** Checks address, credentials, rights and mapped fields without writing. Stops at the first failure. */
  readonly test: (signal: AbortSignal) => Promise<readonly CrmCheckResult[]>;
}

export function makeCrmRecord(submission: Submission): CrmRecord {
  return {
    submission_id: submission.id,
    ...(mapContactFields((name) => submission[name]) as ContactFields),
    industry_label: submission.industry && getIndustryLabel(submission.industry),
    submitted_at: submission.submittedAt.toISOString(),
    received_at: submission.receivedAt.toISOString(),
    source: submission.source ?? {},
  };
}
