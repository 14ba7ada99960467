import { getIndustryLabel } from '../../contact/industry-options.ts';
import type { CheckResult } from '../monitoring/check.ts';
import type { Submission } from '../contact/contact-submission-store.ts';

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

/** What earlier attempts and steps of an export created in this provider's account. */
export interface RemoteSteps {
  /** The CRM's id of what a step created; undefined when it isn't done. */
  readonly get: (step: string) => string | undefined;
  /** Stores the id at once, so that a retry continues after this step. */
  readonly record: (step: string, remoteId: string) => Promise<void>;
}

export interface ExportContext {
  /** The delivery's id, the same at every attempt: an idempotency key. */
  readonly deliveryId: string;
  /** 1 for the first; from 2 on the record may exist already and must not be created again. */
  readonly attempt: number;
  readonly steps: RemoteSteps;
  /** The reason of this export's last failed attempt, in any worker; null when there was none. */
  readonly lastFailure: string | null;
  /** Does the work while no other worker does any under the same key; throws when the wait is too long. */
  readonly withAdvisoryLock: <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;
  readonly signal: AbortSignal;
}

/** What one check of `ops crm test` found; a `warn` means that exports work now and will stop. */
export interface CrmCheckResult extends CheckResult {
  /** The CRM refuses this site whatever it sends: no export can succeed. */
  readonly isRefusal?: true;
  /** The CRM asks this site to call later, whatever it sends. */
  readonly isLimit?: true;
}

export interface CrmProvider {
  /** Exports one lead; resolves to the CRM's id for it, if any. Throws DeliveryError. */
  readonly exportRecord: (record: CrmRecord, context: ExportContext) => Promise<string | null>;
  /** Checks address, credentials, rights and mapped fields without writing, up to the first that fails. */
  readonly test: (signal: AbortSignal) => Promise<readonly CrmCheckResult[]>;
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
