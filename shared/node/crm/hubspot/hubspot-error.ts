import * as v from 'valibot';
import { Hour, Second } from '../../../time.ts';
import { DeliveryError } from '../../deliveries/delivery-error.ts';
import { classifyResponse } from '../../outbound/classify-response.ts';
import type { OutboundResponse } from '../../outbound/outbound-client.ts';
import { errorCode, parseResponse } from '../read-response.ts';

/** HubSpot's own account of a fault; it promises none of its parts. */
export const hubspotFaultSchema = v.object({
  category: errorCode,
  /** Which limit was met, in answers of status 429. */
  policyName: errorCode,
  errors: v.fallback(v.optional(v.array(v.object({ code: errorCode }))), undefined),
  /** Of the sentence, which may repeat the lead, nothing but the id in 'Existing ID: 123'. */
  message: v.fallback(
    v.optional(
      v.pipe(
        v.string(),
        v.transform((text) => /Existing ID: (\d+)/.exec(text)?.[1]),
      ),
    ),
    undefined,
  ),
});

export type HubspotFault = v.InferOutput<typeof hubspotFaultSchema>;

/** How long to wait at a limit when HubSpot doesn't say: its windows are ten seconds and a day. */
const getLimitWait = (policy: string | undefined) => (policy === 'DAILY' ? 1 * Hour : 10 * Second);

/** An answer of HubSpot outside 2xx. */
export class HubspotError extends DeliveryError {
  override readonly name = 'HubspotError';
  readonly status: number;
  /** Such as `VALIDATION_ERROR`. */
  readonly category: string | undefined;
  /** What exactly is wrong, such as `PROPERTY_DOESNT_EXIST`, or the limit's name. */
  readonly errorCode: string | undefined;
  /** The contact that has the address already, in answers of status 409. */
  readonly existingId: string | undefined;

  constructor(answer: OutboundResponse, fault = parseResponse(answer, hubspotFaultSchema)) {
    const { status } = answer;
    const code = fault?.errors?.[0]?.code ?? fault?.policyName;
    const codes = [fault?.category, code].filter((part) => part !== undefined);
    const byStatus = classifyResponse('hubspot', answer, codes.length > 0 ? codes.join('-') : undefined);
    const limitWait = status === 429 ? getLimitWait(fault?.policyName) : undefined;
    // 409: the contact was created since it was looked for; the next try will find it.
    super(status === 409 ? 'retry' : byStatus.verdict, byStatus.reason, {
      kindWaitsMs: byStatus.kindWaitsMs ?? limitWait,
    });
    this.status = status;
    this.category = fault?.category;
    this.errorCode = code;
    this.existingId = status === 409 ? fault?.message : undefined;
  }
}

/** The status HubSpot gives the same fault when it isn't one of several in a batch. */
const statuses: Readonly<Record<string, number>> = {
  VALIDATION_ERROR: 400,
  INVALID_AUTHENTICATION: 401,
  MISSING_SCOPES: 403,
  CONFLICT: 409,
  RATE_LIMITS: 429,
};

/** The error for one input of a batch that was answered as a whole with 207. */
export function makeBatchError(answer: OutboundResponse, fault: HubspotFault): HubspotError {
  // Giving up is a decision: categories nobody classified count as a passing fault of the server.
  return new HubspotError({ ...answer, status: statuses[fault.category ?? ''] ?? 500 }, fault);
}
