import * as v from 'valibot';
import type { CrmSettingsOf } from '../../config/crm-settings.ts';
import { Minute } from '../../../time.ts';
import { DeliveryError, type FailureDetails, type Verdict } from '../../deliveries/delivery-error.ts';
import { classifyResponse, readRetryAfter } from '../../outbound/classify-response.ts';
import type { OutboundResponse, OutboundClient } from '../../outbound/outbound-client.ts';
import { parseResponse, readResponse } from '../read-response.ts';

/** An answer of Pipedrive outside 2xx; the reason has its code, never its message. */
export class PipedriveError extends DeliveryError {
  override readonly name = 'PipedriveError';
  readonly status: number;

  constructor(status: number, verdict: Verdict, reason: string, details: FailureDetails) {
    super(verdict, reason, details);
    this.status = status;
  }
}

/** Only what looks like a code: a sentence may repeat the lead. */
const refusalSchema = v.object({ code: v.pipe(v.string(), v.regex(/^\w{1,64}$/)) });

/** Wait of all exports when Pipedrive shuts out a token that asked too often, unless it says. */
const SHUT_OUT_WAIT = 10 * Minute;

/** Reasons of an answer that says 'too many requests'. */
const LIMITED = 'pipedrive-429';
const SHUT_OUT = 'pipedrive-403-limit';

/** @param wasLimited whether the last try of this export ended with 'too many requests' */
function toPipedriveError(answer: OutboundResponse, wasLimited: boolean): PipedriveError {
  const { status } = answer;
  const code = parseResponse(answer, refusalSchema)?.code;
  const { verdict, reason, kindWaitsMs } = classifyResponse('pipedrive', answer, code);
  // The plan's cap on records: no matter of the token, and waiting won't lift it.
  if (status === 403 && code?.startsWith('feature_capping')) {
    return new PipedriveError(status, 'dead', reason, {});
  }
  // Asking on after 429 is answered with a 403 that has no code.
  if (status === 403 && code === undefined && wasLimited) {
    const wait = readRetryAfter(answer) ?? SHUT_OUT_WAIT;

    return new PipedriveError(status, 'retry', SHUT_OUT, { kindWaitsMs: wait });
  }

  return new PipedriveError(status, verdict, reason, { kindWaitsMs });
}

const isOk = ({ status }: OutboundResponse) => status >= 200 && status < 300;

export interface PipedriveCall {
  /** Below the base, with its version and query, such as `/v1/leads`. */
  readonly path: string;
  /** What to create, or with PATCH to change; without it the call reads. */
  readonly body?: object;
  readonly method?: 'PATCH';
  readonly maxAnswerBytes?: number;
  readonly signal: AbortSignal;
}

/**
 * Calls the API and reads `data` of its answer.
 * @throws DeliveryError, as PipedriveError for an answer outside 2xx
 */
export type CallPipedrive = <const Schema extends v.GenericSchema>(
  call: PipedriveCall,
  dataSchema: Schema,
) => Promise<v.InferOutput<Schema>>;

/**
 * Makes the calls of one export with the account's token.
 * @param lastFailure the reason of this export's last failed try
 */
export function createPipedriveCaller(
  { baseUrl, token }: CrmSettingsOf<'pipedrive'>,
  client: OutboundClient,
  lastFailure: string | null = null,
): CallPipedrive {
  const wasLimited = lastFailure?.startsWith(LIMITED) === true || lastFailure === SHUT_OUT;

  return async ({ path, body, method, ...call }, dataSchema) => {
    const answer = await client.call({
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
    if (!isOk(answer)) throw toPipedriveError(answer, wasLimited);
    const schema = v.object({ success: v.literal(true), data: dataSchema });

    return readResponse('pipedrive', answer, schema).data;
  };
}
