import * as v from 'valibot';
import { DeliveryError } from '../deliveries/delivery-error.ts';
import type { OutboundAnswer } from './outbound-client.ts';

const parse = <const Schema extends v.GenericSchema>(schema: Schema, text: string) =>
  v.safeParse(v.pipe(v.string(), v.parseJson(), schema), text);

/**
 * The JSON of an answer in the shape its reader needs.
 * @param origin starts the reason, such as `hubspot`
 * @throws DeliveryError `retry` when it isn't JSON or lacks what is needed
 */
export function readAnswer<const Schema extends v.GenericSchema>(
  origin: string,
  schema: Schema,
  { text }: OutboundAnswer,
): v.InferOutput<Schema> {
  const result = parse(schema, text);
  // Not the parser's own error: it repeats what it has read.
  if (!result.success) throw new DeliveryError('retry', `${origin}-malformed-answer`);

  return result.output;
}

/** The JSON of an answer that isn't 2xx, as far as it can be read: servers in trouble send anything. */
export function readRefusal<const Schema extends v.GenericSchema>(
  schema: Schema,
  { text }: OutboundAnswer,
): v.InferOutput<Schema> | undefined {
  const result = parse(schema, text);

  return result.success ? result.output : undefined;
}

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
