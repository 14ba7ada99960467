import * as v from 'valibot';
import { DeliveryError, ResponseError, type FailureResult } from '../outbound/delivery-error.ts';
import {
  type OutboundResponse,
  isSuccess,
  MAX_LISTING_BYTES,
  type OutboundClient,
} from '../outbound/outbound-client.ts';
import { classifyResponse, readRetryAfter } from '../outbound/classify-response.ts';

/** As APIs write their codes: `VALIDATION_ERROR`, `CONFLICT`, `invalid_client`. */
const CODE = /^(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*|[a-z]+(?:_[a-z]+)+)$/;

/** An API's error code; undefined for what isn't one and may repeat the lead, since codes end up in `last_error`. */
export const errorCode = v.fallback(
  v.optional(v.pipe(v.string(), v.regex(CODE), v.maxLength(64))),
  undefined,
);

/** The part of a JSON response that is used; undefined when it isn't as expected. */
export function parseResponse<const Schema extends v.GenericSchema>(
  { text }: OutboundResponse,
  schema: Schema,
): v.InferOutput<Schema> | undefined {
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), text);

  return result.success ? result.output : undefined;
}

/** As `parseResponse`; without the expected response it throws `retry`, without a cause, which would repeat it. */
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

/** What a CRM's refusal means beyond its status. Nothing in it may repeat the lead. */
export interface Refusal {
  /** In place of the response's status, where that says something else. */
  readonly status?: number | undefined;
  /** In place of what the status means. */
  readonly result?: FailureResult | undefined;
  /** The API's code, which ends the reason. */
  readonly code?: string | undefined;
  /** How long all exports wait, in milliseconds, unless `Retry-After` says. */
  readonly waitsMs?: number | undefined;
  /** Something that must be unique exists already. */
  readonly isDuplicate?: boolean | undefined;
  /** The id of the record that exists already. */
  readonly existingId?: string | undefined;
  /** The fields whose values it refuses and without which the record can be created. */
  readonly refusedFields?: readonly string[] | undefined;
}

const resultsByStatus: Readonly<Record<number, FailureResult>> = {
  // A trial is over, or the plan doesn't include the API.
  402: 'paused',
  // The address is another server's, or a record is gone since it was found: the next attempt looks it up.
  404: 'paused',
  // Somebody else's change came in between.
  409: 'retry',
  // This version of the API has ended.
  410: 'paused',
};

export class CrmError extends ResponseError {
  override readonly name = 'CrmError';
  readonly refusal: Refusal;

  /** @param origin starts the reason, such as `hubspot` */
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
  /** Starts the reason of errors, such as `hubspot`. */
  readonly origin: string;
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly readRefusal: (response: OutboundResponse) => Refusal;
}

interface CrmRequest {
  readonly path: string;
  /** What to send as JSON; without it the call reads. */
  readonly body?: object;
  /** POST with a body and GET without one, unless given. */
  readonly method?: 'PATCH' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
}

export type CrmConnection = ReturnType<typeof connectCrm>;

/** Connects to a CRM for one attempt, which `signal` ends. */
export function connectCrm(client: OutboundClient, api: CrmApi, signal: AbortSignal) {
  /** Makes a call; resolves to its 2xx response, throws CrmError for any other. */
  const send = async ({ path, body, method, headers }: CrmRequest) => {
    const response = await client.call({
      method: method ?? (body ? 'POST' : 'GET'),
      url: `${api.baseUrl}${path}`,
      headers: {
        accept: 'application/json',
        ...(body && { 'content-type': 'application/json' }),
        ...api.headers,
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      maxResponseBytes: MAX_LISTING_BYTES,
      signal,
    });
    if (!isSuccess(response)) throw new CrmError(api.origin, response, api.readRefusal(response));

    return response;
  };

  /** Makes a call and reads its response; see `send`. */
  const call = async <const Schema extends v.GenericSchema>(request: CrmRequest, schema: Schema) =>
    readResponse(api.origin, await send(request), schema);

  return { send, call };
}

export const hasStatus = (error: unknown, ...statuses: readonly number[]): error is CrmError =>
  error instanceof CrmError && statuses.includes(error.status);
