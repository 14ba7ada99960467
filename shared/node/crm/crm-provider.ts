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

/** Ids of the CRM records that this export has created so far. */
export interface RemoteSteps {
  /** Returns the CRM's id for the record that a step created; undefined if the step hasn't created one. */
  readonly get: (step: string) => string | undefined;
  /** Stores the id immediately, so a retry continues after this step. */
  readonly record: (step: string, remoteId: string) => Promise<void>;
}

export interface ExportContext {
  /** The delivery's id. It is the same for every attempt, so it can be the idempotency key. */
  readonly deliveryId: string;
  /** Starts at 1. If it is higher, an earlier attempt may have created the record. */
  readonly attempt: number;
  readonly steps: RemoteSteps;
  /** Runs the work while holding a lock that all workers share. Throws if it can't get the lock in time. */
  readonly withAdvisoryLock: <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;
  readonly signal: AbortSignal;
}

/** The result of one `ops crm test` check. A `warn` means that exports work now but will stop. */
export interface CrmCheckResult extends CheckResult {
  /** Set if the CRM refuses every request from this site, so no export can succeed. */
  readonly isRefusal?: true;
  /** Set if the CRM asks this site to delay all its requests. */
  readonly isLimit?: true;
}

export interface CrmProvider {
  /** Exports one lead. Returns the CRM's id for it, or null if there is none. Throws DeliveryError. */
  readonly exportRecord: (record: CrmRecord, context: ExportContext) => Promise<string | null>;
  /** Checks the address, credentials, rights and mapped fields. Writes nothing, and stops at the first failure. */
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
