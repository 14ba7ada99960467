import * as v from 'valibot';
import { DeliveryError } from '../deliveries/delivery-error.ts';
import type { OutboundResponse } from '../outbound/outbound-client.ts';

/** As APIs write their codes: `VALIDATION_ERROR`, `CONFLICT`, `invalid_client`. */
const CODE = /^(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*|[a-z]+(?:_[a-z]+)+)$/;

/**
 * A code that an API gives for a fault, undefined for anything else: codes become part of
 * `last_error`, and what isn't one may repeat the lead.
 */
export const errorCode = v.fallback(
  v.optional(v.pipe(v.string(), v.regex(CODE), v.maxLength(64))),
  undefined,
);

/** The part of a JSON answer that is used; undefined when it isn't as expected. */
export function parseResponse<const Schema extends v.GenericSchema>(
  { text }: OutboundResponse,
  schema: Schema,
): v.InferOutput<Schema> | undefined {
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), text);

  return result.success ? result.output : undefined;
}

/**
 * As `parseResponse`, for an answer that is needed. What was to be made may have been made all the
 * same: the next try looks it up.
 * @param origin starts the error's reason, such as `pipedrive`
 * @throws DeliveryError `retry`; without a cause, because that would repeat what was answered
 */
export function readResponse<const Schema extends v.GenericSchema>(
  origin: string,
  answer: OutboundResponse,
  schema: Schema,
): v.InferOutput<Schema> {
  const output = parseResponse(answer, schema);
  if (output === undefined) {
    if (answer.cut) throw answer.cut;
    const reason = answer.isTruncated ? 'http-answer-too-large' : `${origin}-malformed-answer`;
    throw new DeliveryError('retry', reason);
  }

  return output;
}
