import { getIndustryLabel } from '../../shared/contact/industry-options.ts';
import type { Submission } from '../../shared/node/contact/contact-submission-store.ts';

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

export interface CrmProvider {
  /**
   * Hands one lead over; resolves to the CRM's name for it, if it has one.
   * @param attempt 1 for the first try; from 2 on the record may be there already and must not
   *   be made twice
   * @throws DeliveryError
   */
  readonly exportRecord: (
    record: CrmRecord,
    attempt: number,
    signal: AbortSignal,
  ) => Promise<string | null>;
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
