import * as v from 'valibot';
import { DeliveryError, ResponseError, type FailureResult } from '../outbound/delivery-error.ts';
import {
  type OutboundResponse,
  isSuccess,
  MAX_LISTING_BYTES,
  type OutboundClient,
} from '../outbound/outbound-client.ts';
import { classifyResponse, readRetryAfter } from '../outbound/classify-response.ts';

/** Matches error codes, such as `VALIDATION_ERROR`, `CONFLICT` or `invalid_client`. */
const CODE = /^(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*|[a-z]+(?:_[a-z]+)+)$/;

/** An API's error code. Other text becomes undefined, because it may contain the lead's data. */
export const errorCode = v.fallback(
  v.optional(v.pipe(v.string(), v.regex(CODE), v.maxLength(64))),
  undefined,
);

/** Returns the parts of a JSON response that the schema describes; undefined if the response doesn't match it. */
export function parseResponse<const Schema extends v.GenericSchema>(
  { text }: OutboundResponse,
  schema: Schema,
): v.InferOutput<Schema> | undefined {
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), text);

  return result.success ? result.output : undefined;
}

/** Like `parseResponse`, but throws `retry` on a mismatch. It omits the cause, which would quote the response. */
export function readResponse<const Schema extends v.GenericSchema>(
  origin: string,
  response: OutboundResponse,
  schema: Schema,
): v.InferOutput<Schema> {
  const output = parseResponse(response, schema);
  if (output === undefined) {
    if (response.cut) throw response.cut;
    const reason = response.isTruncated ? 'http-response-too-large' : `${origin}-malformed-response`;
    throw new DeliveryError('retry', reason);
  }

  return output;
}

/** What an error response means beyond its status. It must not contain the lead's data. */
export interface Refusal {
  /** Replaces the response's status if that status is misleading. */
  readonly status?: number | undefined;
  /** Replaces the result that the status implies. */
  readonly result?: FailureResult | undefined;
  /** The API's error code, appended to the reason. */
  readonly code?: string | undefined;
  /** How long all exports wait, in milliseconds; `Retry-After` takes precedence. */
  readonly waitsMs?: number | undefined;
  /** A record with the same unique value already exists. */
  readonly isDuplicate?: boolean | undefined;
  /** The existing record's id. */
  readonly existingId?: string | undefined;
  /** Fields whose values were refused. The record can be created without them. */
  readonly refusedFields?: readonly string[] | undefined;
}

const resultsByStatus: Readonly<Record<number, FailureResult>> = {
  // The trial has ended, or the plan doesn't include the API.
  402: 'paused',
  // The address is wrong, or a record was deleted after it was found. The next attempt looks it up again.
  404: 'paused',
  // The request conflicts with a concurrent change.
  409: 'retry',
  // The CRM has shut down this version of its API.
  410: 'paused',
};

export class CrmError extends ResponseError {
  override readonly name = 'CrmError';
  readonly refusal: Refusal;

  /** @param origin first part of the reason, such as `hubspot` */
  constructor(origin: string, response: OutboundResponse, refusal: Refusal) {
    const status = refusal.status ?? response.status;
    const { result, reason, kindWaitsMs } = classifyResponse(origin, { ...response, status }, refusal.code);
    super(status, refusal.result ?? resultsByStatus[status] ?? result, reason, {
      kindWaitsMs: refusal.waitsMs === undefined ? kindWaitsMs : (readRetryAfter(response) ?? refusal.waitsMs),
    });
    this.refusal = refusal;
  }
}

interface CrmApi {
  /** First part of an error's reason, such as `hubspot`. */
  readonly origin: string;
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly readRefusal: (response: OutboundResponse) => Refusal;
}

interface CrmRequest {
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
  /** Default: POST with a body, GET without one. */
  readonly method?: 'PATCH' | 'PUT';
}

export type CrmConnection = ReturnType<ReturnType<typeof createConnector>>;

/** Returns a function that connects to a CRM for one attempt. `signal` aborts the attempt. */
export const createConnector = (client: OutboundClient, api: CrmApi) => (signal: AbortSignal) => {
  /** Makes a call and returns its 2xx response. Throws CrmError for any other status. */
  const send = async ({ path, body, method }: CrmRequest) => {
    const response = await client.call({
      method: method ?? (body ? 'POST' : 'GET'),
      url: `${api.baseUrl}${path}`,
      headers: {
        accept: 'application/json',
        ...(body && { 'content-type': 'application/json' }),
        ...api.headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      maxResponseBytes: MAX_LISTING_BYTES,
      signal,
    });
    if (!isSuccess(response)) throw new CrmError(api.origin, response, api.readRefusal(response));

    return response;
  };

  /** Makes a call and parses its response; see `send`. */
  const call = async <const Schema extends v.GenericSchema>(request: CrmRequest, schema: Schema) =>
    readResponse(api.origin, await send(request), schema);

  return { send, call };
};

export const hasStatus = (error: unknown, ...statuses: readonly number[]): error is CrmError =>
  error instanceof CrmError && statuses.includes(error.status);
