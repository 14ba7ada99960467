import * as v from 'valibot';
import { Hour, Second } from '../../../time.ts';
import type { CrmSettingsOf } from '../../config/crm-settings.ts';
import { DeliveryError } from '../../outbound/delivery-error.ts';
import { classifyResponse } from '../../outbound/classify-response.ts';
import { isSuccess, type OutboundClient, type OutboundResponse } from '../../outbound/outbound-client.ts';
import { errorCode, parseResponse } from '../read-response.ts';

/** HubSpot's description of an error; it promises none of its parts. */
export const hubspotProblemSchema = v.object({
  category: errorCode,
  /** Which limit was met, in responses of status 429. */
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

type HubspotProblem = v.InferOutput<typeof hubspotProblemSchema>;

/** How long to wait at a limit when HubSpot doesn't say: its windows are ten seconds and a day. */
const getLimitWait = (policy: string | undefined) => (policy === 'DAILY' ? 1 * Hour : 10 * Second);

/** A response of HubSpot outside 2xx. */
export class HubspotError extends DeliveryError {
  override readonly name = 'HubspotError';
  readonly status: number;
  /** Such as `VALIDATION_ERROR`. */
  readonly category: string | undefined;
  /** What exactly is wrong, such as `PROPERTY_DOESNT_EXIST`, or the limit's name. */
  readonly errorCode: string | undefined;
  /** The contact that has the address already, in responses of status 409. */
  readonly existingId: string | undefined;

  constructor(response: OutboundResponse, problem = parseResponse(response, hubspotProblemSchema)) {
    const { status } = response;
    const code = problem?.errors?.[0]?.code ?? problem?.policyName;
    const codes = [problem?.category, code].filter((part) => part !== undefined);
    const byStatus = classifyResponse('hubspot', response, codes.length > 0 ? codes.join('-') : undefined);
    const limitWait = status === 429 ? getLimitWait(problem?.policyName) : undefined;
    // 409: the contact was created since it was looked for; the next attempt will find it.
    super(status === 409 ? 'retry' : byStatus.result, byStatus.reason, {
      kindWaitsMs: byStatus.kindWaitsMs ?? limitWait,
    });
    this.status = status;
    this.category = problem?.category;
    this.errorCode = code;
    this.existingId = status === 409 ? problem?.message : undefined;
  }
}

/** The status HubSpot gives the same error when it isn't one of several in a batch. */
const statuses: Readonly<Record<string, number>> = {
  VALIDATION_ERROR: 400,
  INVALID_AUTHENTICATION: 401,
  MISSING_SCOPES: 403,
  CONFLICT: 409,
  RATE_LIMITS: 429,
};

/** The error for one input of a batch whose response as a whole has status 207. */
export function makeBatchError(response: OutboundResponse, problem: HubspotProblem): HubspotError {
  // Giving up is a decision: unclassified categories count as a temporary error of the server.
  return new HubspotError({ ...response, status: statuses[problem.category ?? ''] ?? 500 }, problem);
}

interface HubspotCall {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly body?: unknown;
  readonly maxResponseBytes?: number;
}

/**
 * Makes one call; resolves to its 2xx response.
 * @throws DeliveryError the client's own, or a HubspotError
 */
export type CallHubspot = (call: HubspotCall) => Promise<OutboundResponse>;

/** Calls with the token; `signal` ends them. */
export function connectHubspot(
  { baseUrl, token }: CrmSettingsOf<'hubspot'>,
  client: OutboundClient,
  signal: AbortSignal,
): CallHubspot {
  return async ({ path, body, ...call }) => {
    const response = await client.call({
      ...call,
      url: `${baseUrl}${path}`,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    });
    if (!isSuccess(response)) throw new HubspotError(response);

    return response;
  };
}
