import * as v from 'valibot';
import type { CrmSettingsOf } from '../../config/crm-settings.ts';
import { Minute, Second } from '../../../time.ts';
import { ResponseError } from '../../outbound/delivery-error.ts';
import { classifyResponse, MAX_RETRY_AFTER, readRetryAfter } from '../../outbound/classify-response.ts';
import { isSuccess, type OutboundResponse, type OutboundClient } from '../../outbound/outbound-client.ts';
import { parseResponse, readResponse } from '../read-response.ts';

/** Only what looks like a code: a sentence may repeat the lead. */
const refusalSchema = v.object({ code: v.pipe(v.string(), v.regex(/^\w{1,64}$/)) });

/** How long all exports wait when Pipedrive blocks a token for too many calls, unless it says. */
const BLOCKED_WAIT = 10 * Minute;

/** Reasons of responses that mean 'too many requests'. */
const LIMITED = 'pipedrive-429';
const BLOCKED = 'pipedrive-403-limit';

/** Milliseconds until the limit of calls is lifted; `x-ratelimit-reset` states seconds. */
function readRateLimitReset(response: OutboundResponse): number | undefined {
  const text = response.header('x-ratelimit-reset') ?? '';

  return /^\d+$/.test(text) ? Math.min(Number(text) * Second, MAX_RETRY_AFTER) : undefined;
}

/**
 * Classifies a response outside 2xx; the reason has its code, never its message.
 * @param wasLimited whether the last attempt of this export ended with 'too many requests'
 */
function classifyRefusal(response: OutboundResponse, wasLimited: boolean): ResponseError {
  const { status } = response;
  const code = parseResponse(response, refusalSchema)?.code;
  const { result, reason, kindWaitsMs } = classifyResponse('pipedrive', response, code);
  // The plan's cap on records: not about the token, and waiting doesn't lift it.
  if (status === 403 && code?.startsWith('feature_capping')) {
    return new ResponseError(status, 'dead', reason);
  }
  // Further calls after a 429 get a 403 that has no code.
  if (status === 403 && code === undefined && wasLimited) {
    const wait = readRetryAfter(response) ?? readRateLimitReset(response) ?? BLOCKED_WAIT;

    return new ResponseError(status, 'retry', BLOCKED, { kindWaitsMs: wait });
  }

  // 410: this version of the API ended. 402: the trial is over, or the account isn't paid for, whatever is sent. 404: the address is another server's, or
  // a record is gone since it was found.
  return new ResponseError(status, [402, 404, 410].includes(status) ? 'paused' : result, reason, {
    kindWaitsMs: kindWaitsMs ?? (status === 429 ? readRateLimitReset(response) : undefined),
  });
}

interface PipedriveCall {
  /** Below the base, with its version and query, such as `/v1/leads`. */
  readonly path: string;
  /** What to create, or with PATCH to change; without it the call reads. */
  readonly body?: object;
  readonly method?: 'PATCH';
  readonly maxResponseBytes?: number;
  readonly signal: AbortSignal;
}

/**
 * Calls the API and reads `data` of its response.
 * @throws DeliveryError, as ResponseError for a response outside 2xx
 */
export type CallPipedrive = <const Schema extends v.GenericSchema>(
  call: PipedriveCall,
  dataSchema: Schema,
) => Promise<v.InferOutput<Schema>>;

/**
 * Makes the calls of one export with the account's token.
 * @param lastFailure the reason of this export's last failed attempt
 */
export function createPipedriveCaller(
  { baseUrl, token }: CrmSettingsOf<'pipedrive'>,
  client: OutboundClient,
  lastFailure: string | null = null,
): CallPipedrive {
  const wasLimited = lastFailure?.startsWith(LIMITED) === true || lastFailure === BLOCKED;

  return async ({ path, body, method, ...call }, dataSchema) => {
    const response = await client.call({
      method: method ?? (body ? 'POST' : 'GET'),
      url: `${baseUrl}${path}`,
      headers: {
        accept: 'application/json',
        'x-api-token': token,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      ...call,
    });
    if (!isSuccess(response)) throw classifyRefusal(response, wasLimited);
    const schema = v.object({ success: v.literal(true), data: dataSchema });

    return readResponse('pipedrive', response, schema).data;
  };
}
