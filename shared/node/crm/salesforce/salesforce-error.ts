import * as v from 'valibot';
import { Hour } from '../../../time.ts';
import { DeliveryError, type Verdict } from '../../deliveries/delivery-error.ts';
import { classifyResponse, readRetryAfter } from '../../outbound/classify-response.ts';
import type { OutboundResponse } from '../../outbound/outbound-client.ts';
import { errorCode, parseResponse } from '../read-response.ts';

/** The allowance of calls is one of 24 hours and comes back bit by bit. */
const ALLOWANCE_WAIT = 1 * Hour;

const faultsSchema = v.array(v.object({ errorCode }));
const loginFaultSchema = v.object({ error: errorCode });

/** The code of an answer that isn't 2xx, such as `REQUIRED_FIELD_MISSING`, if it has one. */
export const readSalesforceCode = (answer: OutboundResponse): string | undefined =>
  parseResponse(answer, faultsSchema)?.[0]?.errorCode;

interface SalesforceFault {
  readonly verdict: Verdict;
  readonly reason: string;
  readonly status: number;
  readonly errorCode: string | undefined;
  readonly kindWaitsMs: number | undefined;
}

/** An answer of Salesforce outside 2xx. */
export class SalesforceError extends DeliveryError {
  override readonly name = 'SalesforceError';
  readonly status: number;
  /** Such as `REQUIRED_FIELD_MISSING`, or `invalid_client` when logging in. */
  readonly errorCode: string | undefined;

  constructor({ verdict, reason, status, errorCode: code, kindWaitsMs }: SalesforceFault) {
    super(verdict, reason, { kindWaitsMs });
    this.status = status;
    this.errorCode = code;
  }
}

/** The error for a call about leads. */
export function makeCallError(answer: OutboundResponse): SalesforceError {
  const { status } = answer;
  const code = readSalesforceCode(answer);
  const detail = status === 300 ? 'several-leads-have-this-id' : code;
  const { verdict, reason, kindWaitsMs } = classifyResponse('salesforce', answer, detail);
  const fault = { verdict, reason, status, errorCode: code, kindWaitsMs };
  if (code !== 'REQUEST_LIMIT_EXCEEDED') return new SalesforceError(fault);

  // Comes as 403, but nobody has to mend anything.
  return new SalesforceError({
    ...fault,
    verdict: 'retry',
    kindWaitsMs: readRetryAfter(answer) ?? ALLOWANCE_WAIT,
  });
}

/** The error for a refused login: what isn't passing is a matter of the settings, on either side. */
export function makeLoginError(answer: OutboundResponse): SalesforceError {
  const code = parseResponse(answer, loginFaultSchema)?.error;
  const { verdict, reason, kindWaitsMs } = classifyResponse('salesforce-login', answer, code);

  return new SalesforceError({
    verdict: verdict === 'retry' ? 'retry' : 'paused',
    reason,
    status: answer.status,
    errorCode: code,
    kindWaitsMs,
  });
}
