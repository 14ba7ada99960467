import type { CrmSettingsOf } from '../../config/crm-settings.ts';
import type { OutboundResponse, OutboundClient } from '../../outbound/outbound-client.ts';
import { HubspotError } from './hubspot-error.ts';

export interface HubspotCall {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly body?: unknown;
  readonly maxAnswerBytes?: number;
}

/**
 * Makes one call; resolves to its answer, which is 2xx.
 * @throws DeliveryError the client's own, or a HubspotError
 */
export type CallHubspot = (call: HubspotCall) => Promise<OutboundResponse>;

/** Calls with the token; `signal` ends them. */
export function connectHubspot(
  { baseUrl, token }: CrmSettingsOf<'hubspot'>,
  client: OutboundClient,
  signal: AbortSignal,
): CallHubspot {
  return async ({ path, body, ...call }) => {
    const answer = await client.call({
      ...call,
      url: `${baseUrl}${path}`,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    });
    if (answer.status < 200 || answer.status >= 300) throw new HubspotError(answer);

    return answer;
  };
}
