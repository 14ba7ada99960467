import * as v from 'valibot';
import { DeliveryError } from '../../deliveries/delivery-error.ts';
import { MAX_LISTING_BYTES } from '../../outbound/outbound-client.ts';
import type { CallHubspot } from './hubspot-api.ts';
import { hubspotFaultSchema, makeBatchError } from './hubspot-error.ts';
import { readAnswer } from '../read-answer.ts';

const upsertSchema = v.object({
  results: v.optional(v.array(v.object({ id: v.pipe(v.string(), v.digits()) })), []),
  errors: v.optional(v.array(hubspotFaultSchema), []),
});
const propertiesSchema = v.object({ results: v.array(v.object({ name: v.string() })) });

/**
 * Makes the contact of this address or updates it; resolves to its id.
 * @throws DeliveryError
 */
export async function upsertContact(
  call: CallHubspot,
  email: string,
  properties: Readonly<Record<string, string>>,
): Promise<string> {
  const answer = await call({
    method: 'POST',
    path: '/crm/v3/objects/contacts/batch/upsert',
    body: { inputs: [{ id: email, idProperty: 'email', properties }] },
  });
  const { results, errors } = readAnswer('hubspot', answer, upsertSchema);
  if (results[0]) return results[0].id;

  // 207: the batch was taken and its one input wasn't.
  throw errors[0]
    ? makeBatchError(answer, errors[0])
    : new DeliveryError('retry', 'hubspot-malformed-answer');
}

/**
 * Names of all properties a contact has.
 * @throws DeliveryError
 */
export async function listContactProperties(call: CallHubspot): Promise<string[]> {
  const path = '/crm/v3/properties/contacts';
  const answer = await call({ method: 'GET', path, maxAnswerBytes: MAX_LISTING_BYTES });

  return readAnswer('hubspot', answer, propertiesSchema).results.map(({ name }) => name);
}
