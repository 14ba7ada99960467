import * as v from 'valibot';
import { DeliveryError } from '../outbound/delivery-error.ts';
import type { OutboundResponse } from '../outbound/outbound-client.ts';

/** As APIs write their codes: `VALIDATION_ERROR`, `CONFLICT`, `invalid_client`. */
const CODE = /^(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*|[a-z]+(?:_[a-z]+)+)$/;

/**
 * A code that an API gives for an error, undefined for anything else: codes become part of
 * `last_error`, and what isn't one may repeat the lead.
 */
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

/**
 * As `parseResponse`, for a response that is needed. What was to be created may exist all the same: the
 * next attempt looks for it.
 * @param origin starts the error's reason, such as `pipedrive`
 * @throws DeliveryError `retry`; without a cause, because that would repeat the response
 */
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
