import * as v from 'valibot';
import { Hour, Second } from '../../../time.ts';
import type { CrmSettingsOf } from '../../config/crm-settings.ts';
import { ResponseError, type FailureResult } from '../../outbound/delivery-error.ts';
import { classifyResponse, readRetryAfter } from '../../outbound/classify-response.ts';
import { isSuccess, type OutboundClient, type OutboundResponse } from '../../outbound/outbound-client.ts';
import { errorCode, parseResponse } from '../read-response.ts';

/**
 * The version of HubSpot's API; its description is HubSpot/HubSpot-public-api-spec-collection on GitHub. The next one,
 * 2026-09, has no listing of a contact's notes by GET.
 */
export const HUBSPOT_VERSION = '2026-03';

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

/**
 * The account is being moved to another data center, which takes up to a day.
 * Source: https://developers.hubspot.com/docs/api-reference/error-handling
 */
const MOVING = 477;

/** How long to wait when HubSpot doesn't say: the windows of its limits are ten seconds and a day. */
function getUsualWait(status: number, policy: string | undefined): number | undefined {
  if (status === MOVING || (status === 429 && policy === 'DAILY')) return 1 * Hour;

  return status === 429 ? 10 * Second : undefined;
}

function getResult(status: number, byStatus: FailureResult): FailureResult {
  // 404: the address is another server's, or a contact is gone since it was found. 410: this version of the API ended.
  if (status === 404 || status === 410) return 'paused';

  // 409: the contact was created since it was looked for; the next attempt will find it.
  return [409, MOVING].includes(status) ? 'retry' : byStatus;
}

/** A response of HubSpot outside 2xx. */
export class HubspotError extends ResponseError {
  override readonly name = 'HubspotError';
  /** What exactly is wrong, such as `PROPERTY_DOESNT_EXIST`, or the limit's name. */
  readonly errorCode: string | undefined;
  /** The contact that has the address already, in responses of status 409. */
  readonly existingId: string | undefined;

  constructor(response: OutboundResponse, problem = parseResponse(response, hubspotProblemSchema)) {
    const { status } = response;
    const code = problem?.errors?.[0]?.code ?? problem?.policyName;
    const codes = [problem?.category, code].filter((part) => part !== undefined);
    const byStatus = classifyResponse('hubspot', response, codes.length > 0 ? codes.join('-') : undefined);
    const asked = status === MOVING ? readRetryAfter(response) : byStatus.kindWaitsMs;
    super(status, getResult(status, byStatus.result), byStatus.reason, {
      kindWaitsMs: asked ?? getUsualWait(status, problem?.policyName),
    });
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
