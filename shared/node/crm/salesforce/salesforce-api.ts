import * as v from 'valibot';
import { Hour, Second } from '../../../time.ts';
import type { CrmSettingsOf } from '../../config/crm-settings.ts';
import { ResponseError, type FailureResult } from '../../outbound/delivery-error.ts';
import { classifyResponse, readRetryAfter } from '../../outbound/classify-response.ts';
import type { OutboundClient, OutboundResponse } from '../../outbound/outbound-client.ts';
import { errorCode, parseResponse, readResponse } from '../read-response.ts';

/** The limit of calls is one of rolling 24 hours. */
const LIMIT_WAIT = 1 * Hour;
/** Wait after the limit of simultaneous long calls, which has the same code. */
const CONCURRENCY_WAIT = 30 * Second;

const problemsSchema = v.array(
  v.object({
    errorCode,
    /** Of the sentence, which may repeat the lead, only whether it names the limit of simultaneous calls. */
    message: v.fallback(
      v.pipe(
        v.string(),
        v.transform((text) => text.startsWith('Concurrent')),
      ),
      false,
    ),
  }),
);
const loginProblemSchema = v.object({ error: errorCode });

/** The code of a response that isn't 2xx, such as `REQUIRED_FIELD_MISSING`, if it has one. */
export const readSalesforceCode = (response: OutboundResponse): string | undefined =>
  parseResponse(response, problemsSchema)?.[0]?.errorCode;

const isConcurrencyLimit = (response: OutboundResponse) =>
  parseResponse(response, problemsSchema)?.[0]?.message === true;

interface SalesforceProblem {
  readonly result: FailureResult;
  readonly reason: string;
  readonly status: number;
  readonly errorCode: string | undefined;
  readonly kindWaitsMs: number | undefined;
}

/** A response of Salesforce outside 2xx. */
export class SalesforceError extends ResponseError {
  override readonly name = 'SalesforceError';
  /** Such as `REQUIRED_FIELD_MISSING`, or `invalid_client` when logging in. */
  readonly errorCode: string | undefined;

  constructor({ result, reason, status, errorCode: code, kindWaitsMs }: SalesforceProblem) {
    super(status, result, reason, { kindWaitsMs });
    this.errorCode = code;
  }
}

/** Another change of a record that belongs to the lead is under way; it has status 400. */
const LOCKED = 'UNABLE_TO_LOCK_ROW';

/** A field that the app's user doesn't see, and one that it sees and may not write; they have status 400. */
const REFUSED_FIELD: ReadonlySet<string | undefined> = new Set(['INVALID_FIELD', 'INVALID_FIELD_FOR_INSERT_UPDATE']);

/** The address is none (404), the API's version was retired (410), or a field can't be written: not the lead's fault. */
const isMisconfigured = (status: number, code: string | undefined) => status === 404 || status === 410 || REFUSED_FIELD.has(code);

function getResult(status: number, code: string | undefined, byStatus: FailureResult): FailureResult {
  if (code === LOCKED) return 'retry';

  return isMisconfigured(status, code) ? 'paused' : byStatus;
}

/** The error for a call about leads. */
export function makeCallError(response: OutboundResponse): SalesforceError {
  const { status } = response;
  const code = readSalesforceCode(response);
  const detail = status === 300 ? 'several-leads-have-this-id' : code;
  const { result: byStatus, reason, kindWaitsMs } = classifyResponse('salesforce', response, detail);
  const result = getResult(status, code, byStatus);
  const problem = { result, reason, status, errorCode: code, kindWaitsMs } as const;
  if (code !== 'REQUEST_LIMIT_EXCEEDED') return new SalesforceError(problem);

  // It has status 403, but nobody has to fix anything.
  return new SalesforceError({
    ...problem,
    result: 'retry',
    kindWaitsMs: readRetryAfter(response) ?? (isConcurrencyLimit(response) ? CONCURRENCY_WAIT : LIMIT_WAIT),
  });
}

/** The error for a refused login: one that isn't temporary comes from the settings, on either side. */
function makeLoginError(response: OutboundResponse): SalesforceError {
  const code = parseResponse(response, loginProblemSchema)?.error;
  const { result, reason, kindWaitsMs } = classifyResponse('salesforce-login', response, code);

  return new SalesforceError({
    result: result === 'retry' ? 'retry' : 'paused',
    reason,
    status: response.status,
    errorCode: code,
    kindWaitsMs,
  });
}

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

interface SalesforceCall {
  readonly method: 'GET' | 'PATCH';
  /** Below the version, such as `/sobjects/Lead/describe`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly maxResponseBytes?: number;
  readonly signal: AbortSignal;
}

/**
 * Makes one call; resolves to its response, whatever its status.
 * @throws DeliveryError the client's own, or a SalesforceError when the login is refused
 */
export type CallSalesforce = (call: SalesforceCall) => Promise<OutboundResponse>;

const hasExpired = (response: OutboundResponse) =>
  response.status === 401 && readSalesforceCode(response) === 'INVALID_SESSION_ID';

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
  const response = await client.call({
    method: 'POST',
    url: `${loginUrl}/services/oauth2/token`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
    signal,
  });
  if (response.status !== 200) throw makeLoginError(response);

  return readResponse('salesforce-login', response, loginSchema);
}

/**
 * Calls with a session, which is opened at the first call and reused by all others. An expired one is
 * renewed, once a call.
 */
export function connectSalesforce(
  settings: CrmSettingsOf<'salesforce'>,
  client: OutboundClient,
): CallSalesforce {
  let session: Session | undefined;

  const send = ({ instance_url: origin, access_token: token }: Session, { path, headers, body, ...call }: SalesforceCall) =>
    client.call({
      ...call,
      url: `${origin}/services/data/${SALESFORCE_API_VERSION}${path}`,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  return async (call) => {
    session ??= await logIn(settings, client, call.signal);
    const response = await send(session, call);
    if (!hasExpired(response)) return response;

    session = undefined;
    const renewed = await logIn(settings, client, call.signal);
    session = renewed;

    return send(renewed, call);
  };
}
