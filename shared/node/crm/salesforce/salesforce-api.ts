import * as v from 'valibot';
import type { CrmSettingsOf } from '../../config/crm-settings.ts';
import type { OutboundResponse, OutboundClient } from '../../outbound/outbound-client.ts';
import { readResponse } from '../read-response.ts';
import { makeLoginError, readSalesforceCode } from './salesforce-error.ts';

/** Salesforce serves a version for three years at least. */
const SALESFORCE_API_VERSION = 'v68.0';

const loginSchema = v.object({
  access_token: v.pipe(v.string(), v.nonEmpty()),
  instance_url: v.pipe(
    v.string(),
    v.url(),
    v.transform((url) => new URL(url).origin),
  ),
});

type Session = v.InferOutput<typeof loginSchema>;

export interface SalesforceCall {
  readonly method: 'GET' | 'PATCH';
  /** Below the version, such as `/sobjects/Lead/describe`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly maxAnswerBytes?: number;
  readonly signal: AbortSignal;
}

/**
 * Makes one call; resolves to its answer, whatever its status.
 * @throws DeliveryError the client's own, or a SalesforceError when the login is refused
 */
export type CallSalesforce = (call: SalesforceCall) => Promise<OutboundResponse>;

const isOver = (answer: OutboundResponse) =>
  answer.status === 401 && readSalesforceCode(answer) === 'INVALID_SESSION_ID';

async function logIn(
  { loginUrl, clientId, clientSecret }: CrmSettingsOf<'salesforce'>,
  client: OutboundClient,
  signal: AbortSignal,
): Promise<Session> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  });
  const answer = await client.call({
    method: 'POST',
    url: `${loginUrl}/services/oauth2/token`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
    signal,
  });
  if (answer.status !== 200) throw makeLoginError(answer);

  return readResponse('salesforce-login', answer, loginSchema);
}

/**
 * Calls with a session, which is made when the first call needs it and kept for all others. One
 * that has ended is made anew, once a call.
 */
export function connectSalesforce(
  settings: CrmSettingsOf<'salesforce'>,
  client: OutboundClient,
): CallSalesforce {
  let kept: Session | undefined;

  const send = (session: Session, { path, headers, body, ...call }: SalesforceCall) =>
    client.call({
      ...call,
      url: `${session.instance_url}/services/data/${SALESFORCE_API_VERSION}${path}`,
      headers: {
        authorization: `Bearer ${session.access_token}`,
        'content-type': 'application/json',
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  return async (call) => {
    kept ??= await logIn(settings, client, call.signal);
    const answer = await send(kept, call);
    if (!isOver(answer)) return answer;

    kept = undefined;
    const renewed = await logIn(settings, client, call.signal);
    kept = renewed;

    return send(renewed, call);
  };
}
