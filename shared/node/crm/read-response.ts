import * as v from 'valibot';
import { DeliveryError } from '../outbound/delivery-error.ts';
import type { OutboundResponse } from '../outbound/outbound-client.ts';

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
