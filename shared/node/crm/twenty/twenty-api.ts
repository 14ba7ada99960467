import * as v from 'valibot';
import type { CrmSettingsOf } from '../../config/crm-settings.ts';
import { Minute, Second } from '../../../time.ts';
import { ResponseError, type FailureResult } from '../../outbound/delivery-error.ts';
import { classifyResponse, MAX_RETRY_AFTER } from '../../outbound/classify-response.ts';
import { isSuccess, type OutboundClient, type OutboundResponse } from '../../outbound/outbound-client.ts';
import type { CrmRecord, ExportContext } from '../crm-provider.ts';
import { errorCode, parseResponse, readResponse } from '../read-response.ts';

/** Of the sentences of an error, which may repeat the lead, only what is decided on. */
const problemSchema = v.object({
  error: errorCode,
  code: errorCode,
  messages: v.fallback(
    v.pipe(
      v.array(v.string()),
      v.transform((messages) => ({
        // Its words changed more than once.
        isDuplicate: messages.some((text) => /duplicate|already exists/i.test(text)),
        isForbidden: messages.some((text) => /does not have permission/i.test(text)),
        // A value, or the id of a record that is gone since it was found.
        isRefused: messages.some((text) => /invalid|violates/i.test(text)),
        isAboutEmail: messages.some((text) => /invalid.*\bemail/i.test(text)),
        unknownField: /any "([A-Za-z]{1,64})" field/.exec(messages.join(' '))?.[1],
      })),
    ),
    { isDuplicate: false, isForbidden: false, isRefused: false, isAboutEmail: false, unknownField: undefined },
  ),
  /** In responses of status 429 of newer versions. */
  retryAfterSeconds: v.fallback(
    v.optional(v.pipe(v.number(), v.minValue(0), v.toMaxValue(MAX_RETRY_AFTER / Second))),
    undefined,
  ),
});

/** The value breaks a validation rule of the workspace. */
const BROKEN_RULE = 'VALIDATION_RULE_VIOLATION';

type TwentyProblem = v.InferOutput<typeof problemSchema>;

/** The window of its limit of calls, which all users of a workspace share. */
const LIMIT_WINDOW = 1 * Minute;

/** A response of Twenty outside 2xx; the reason has the error's code, never its messages. */
export class TwentyError extends ResponseError {
  override readonly name = 'TwentyError';
  /** There is a record of that key already, maybe a deleted one. */
  readonly isDuplicate: boolean;
  /** The value that it refuses is an address. */
  readonly isAboutEmail: boolean;
  /** The field that this version's objects don't have. */
  readonly unknownField: string | undefined;

  constructor(response: OutboundResponse) {
    const problem = parseResponse(response, problemSchema);
    // Most versions respond 400 where the role of the key forbids the call.
    const status = response.status === 400 && problem?.messages.isForbidden && problem.code !== BROKEN_RULE ? 403 : response.status;
    // An administrator wrote the message of a broken rule: it decides nothing.
    const isRule = problem?.code === BROKEN_RULE;
    const isDuplicate = status === 400 && !isRule && problem?.messages.isDuplicate === true;
    const detail = isDuplicate ? 'duplicate' : isRule ? BROKEN_RULE : problem?.error;
    const byStatus = classifyResponse('twenty', { ...response, status }, detail);
    const wait = problem?.retryAfterSeconds === undefined ? LIMIT_WINDOW : problem.retryAfterSeconds * Second;
    super(status, getResult(status, byStatus.result, problem), byStatus.reason, {
      kindWaitsMs: byStatus.kindWaitsMs ?? (status === 429 ? wait : undefined),
    });
    this.isDuplicate = isDuplicate;
    this.isAboutEmail = status === 400 && !isRule && problem?.messages.isAboutEmail === true;
    this.unknownField = problem?.messages.unknownField;
  }
}

function getResult(status: number, byStatus: FailureResult, problem: TwentyProblem | undefined): FailureResult {
  // 402: the workspace isn't paid for. 404: the address is another server's, or a record is gone since it was found.
  if (status === 402 || status === 404) return 'paused';
  const { isDuplicate, isRefused, unknownField } = problem?.messages ?? {};
  const isAboutLead = problem?.code === BROKEN_RULE || isDuplicate || isRefused || unknownField !== undefined;

  // Its own failures, such as a query that took too long, have this status too.
  return status === 400 && !isAboutLead ? 'retry' : byStatus;
}

interface TwentyCall {
  /** Below `/rest/`, with its query, such as `people`. */
  readonly path: string;
  /** What to create, or with PATCH to change; without it the call reads. */
  readonly body?: object;
  readonly method?: 'PATCH';
  readonly maxResponseBytes?: number;
  readonly signal: AbortSignal;
}

/**
 * Calls the REST API and reads `data` of its response.
 * @throws DeliveryError, as TwentyError for a response outside 2xx
 */
export type CallTwenty = <const Schema extends v.GenericSchema>(
  call: TwentyCall,
  dataSchema: Schema,
) => Promise<v.InferOutput<Schema>>;

/** Calls with the workspace's key. */
export function createTwentyCaller(
  { url, apiKey }: CrmSettingsOf<'twenty'>,
  client: OutboundClient,
): CallTwenty {
  return async ({ path, body, method, ...call }, dataSchema) => {
    const response = await client.call({
      ...call,
      method: method ?? (body ? 'POST' : 'GET'),
      url: `${url}/rest/${path}`,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${apiKey}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!isSuccess(response)) throw new TwentyError(response);

    return readResponse('twenty', response, v.object({ data: dataSchema })).data;
  };
}

/** One lead's export and its progress. */
export interface TwentyExport {
  readonly call: CallTwenty;
  readonly record: CrmRecord;
  readonly context: ExportContext;
}

/** The path of a list of records that meet the condition, without the records related to them. */
export const makeListPath = (objects: string, filter: string, limit: number) =>
  `${objects}?${new URLSearchParams({ filter, limit: String(limit), depth: '0' }).toString()}`;
