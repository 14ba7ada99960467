import * as v from 'valibot';
import { DeliveryError } from '../deliveries/delivery-error.ts';
import type { OutboundAnswer } from '../outbound/outbound-client.ts';

/**
 * The part of a JSON answer that is used.
 * @param origin starts the error's reason, such as `pipedrive`
 * @throws DeliveryError `retry`; without a cause, because an issue repeats what was answered
 */
export function readAnswer<const Schema extends v.GenericSchema>(
  origin: string,
  { text }: OutboundAnswer,
  schema: Schema,
): v.InferOutput<Schema> {
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), text);
  if (!result.success) throw new DeliveryError('retry', `${origin}-malformed-answer`);

  return result.output;
}
