import * as v from 'valibot';
import type { CrmSettingsOf } from '../../config/crm-settings.ts';
import { ResponseError } from '../../outbound/delivery-error.ts';
import { classifyResponse } from '../../outbound/classify-response.ts';
import { isSuccess, type OutboundClient, type OutboundResponse } from '../../outbound/outbound-client.ts';
import { parseResponse, readResponse } from '../read-response.ts';

const name = v.pipe(v.string(), v.regex(/^[A-Za-z]\w{0,63}$/));
/** Of a refused value the field and the rule, such as `phoneNumber` and `valid`. */
const refusalSchema = v.object({
  messageTranslation: v.object({
    label: v.literal('validationFailure'),
    data: v.object({ field: name, type: v.fallback(v.optional(name), undefined) }),
  }),
});

/** A response of EspoCRM outside 2xx; the reason names the field it refuses, never its message. */
export class EspocrmError extends ResponseError {
  override readonly name = 'EspocrmError';
  /** The field whose value it refuses, in responses of status 400. */
  readonly refusedField: string | undefined;

  constructor(response: OutboundResponse) {
    const { status } = response;
    const refusal = status === 400 ? parseResponse(response, refusalSchema) : undefined;
    const { field, type } = refusal?.messageTranslation.data ?? {};
    const codes = [field, type].filter((part) => part !== undefined);
    const byStatus = classifyResponse('espocrm', response, codes.length > 0 ? codes.join('-') : undefined);
    // 404: the address is another server's, or the lead was removed since it was found: the next attempt shows it.
    super(status, status === 404 ? 'paused' : byStatus.result, byStatus.reason, { kindWaitsMs: byStatus.kindWaitsMs });
    this.refusedField = field;
  }
}

interface EspocrmCall {
  /** Below `/api/v1/`, with its query, such as `Lead`. */
  readonly path: string;
  /** What to create, or with PUT to change; without it the call reads. */
  readonly body?: object;
  readonly method?: 'PUT';
  readonly maxResponseBytes?: number;
  readonly signal: AbortSignal;
}

/**
 * Calls the API and reads its response.
 * @throws DeliveryError, as EspocrmError for a response outside 2xx
 */
export type CallEspocrm = <const Schema extends v.GenericSchema>(
  call: EspocrmCall,
  schema: Schema,
) => Promise<v.InferOutput<Schema>>;

/** Calls with the API user's key. */
export function createEspocrmCaller(
  { url, apiKey }: CrmSettingsOf<'espocrm'>,
  client: OutboundClient,
): CallEspocrm {
  return async ({ path, body, method, ...call }, schema) => {
    const response = await client.call({
      method: method ?? (body ? 'POST' : 'GET'),
      url: `${url}/api/v1/${path}`,
      headers: {
        accept: 'application/json',
        'x-api-key': apiKey,
        // It takes namesakes for duplicates; leads are looked up by their address before.
        ...(body && { 'content-type': 'application/json', 'x-skip-duplicate-check': 'true' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      ...call,
    });
    if (!isSuccess(response)) throw new EspocrmError(response);

    return readResponse('espocrm', response, schema);
  };
}
