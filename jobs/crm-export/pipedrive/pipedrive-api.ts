import * as v from 'valibot';
import type { CrmSettingsOf } from '../../../shared/node/config/crm-settings.ts';
import { Minute } from '../../../shared/time.ts';
import { DeliveryError, type FailureDetails, type Verdict } from '../../deliveries/delivery-error.ts';
import { classifyAnswer, readRetryAfter } from '../../outbound/classify-answer.ts';
import type { OutboundAnswer, OutboundClient } from '../../outbound/outbound-client.ts';
import { parseAnswer, readAnswer } from '../read-answer.ts';

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

/** @param wasLimited whether the last answer before this one was 'too many requests' */
function toPipedriveError(answer: OutboundAnswer, wasLimited: boolean): PipedriveError {
  const { status } = answer;
  const code = parseAnswer(answer, refusalSchema)?.code;
  const { verdict, reason, kindWaitsMs } = classifyAnswer('pipedrive', answer, code);
  // The plan's cap on records: no matter of the token, and waiting won't lift it.
  if (status === 403 && code?.startsWith('feature_capping')) {
    return new PipedriveError(status, 'dead', reason, {});
  }
  // Asking on after 429 is answered with a 403 that has no code.
  if (status === 403 && code === undefined && wasLimited) {
    const wait = readRetryAfter(answer) ?? SHUT_OUT_WAIT;

    return new PipedriveError(status, 'retry', 'pipedrive-403-limit', { kindWaitsMs: wait });
  }

  return new PipedriveError(status, verdict, reason, { kindWaitsMs });
}

export interface PipedriveCall {
  /** Below the base, with its version and query, such as `/v1/leads`. */
  readonly path: string;
  /** What to create; without it the call reads. */
  readonly body?: object;
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

/** Makes the calls with the account's token. */
export function createPipedriveCaller(
  { baseUrl, token }: CrmSettingsOf<'pipedrive'>,
  client: OutboundClient,
): CallPipedrive {
  let wasLimited = false;

  return async ({ path, body, signal }, dataSchema) => {
    const answer = await client.call({
      method: body ? 'POST' : 'GET',
      url: `${baseUrl}${path}`,
      headers: {
        accept: 'application/json',
        'x-api-token': token,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal,
    });
    const isOk = answer.status >= 200 && answer.status < 300;
    const error = isOk ? undefined : toPipedriveError(answer, wasLimited);
    wasLimited = answer.status === 429 || error?.reason === 'pipedrive-403-limit';
    if (error) throw error;
    const schema = v.object({ success: v.literal(true), data: dataSchema });

    return readAnswer('pipedrive', answer, schema).data;
  };
}
