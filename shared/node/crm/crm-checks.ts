import { Day, Minute, Second } from '../../time.ts';
import { ResponseError, toDeliveryError, type DeliveryError } from '../outbound/delivery-error.ts';
import { fail, pass, warn } from '../monitoring/check.ts';
import { asksToWait, describeCallFailure } from '../outbound/classify-response.ts';
import type { CrmCheckResult, CrmProvider } from './crm-provider.ts';

export type CrmCheckOutcome = Omit<CrmCheckResult, 'check'>;

/** Returns a failure that affects every lead; see `CrmCheckResult.isRefusal`. */
export const refuse = (detail: string): CrmCheckOutcome => ({ ...fail(detail), isRefusal: true });

const KEY_WARNING = 14 * Day;

/** Passes if a key is valid for over two weeks, otherwise warns. `end` is the expiry day: `2027-02-10`. */
export const reportExpiry = (end: string, detail: string): CrmCheckOutcome =>
  (Date.parse(end) - Date.now() > KEY_WARNING ? pass : warn)(detail);

export interface CrmCheck {
  readonly name: string;
  readonly run: () => CrmCheckOutcome | Promise<CrmCheckOutcome>;
}

/** Returns whether an error affects every request from this site. */
export function readObstacle(error: DeliveryError): Pick<CrmCheckResult, 'isRefusal' | 'isLimit'> {
  if (error.result === 'paused') return { isRefusal: true };

  return asksToWait(error) ? { isLimit: true } : {};
}

/** Returns what an error means and the check it belongs to; undefined for a call without a response. */
export type ExplainFailure = (
  error: DeliveryError,
) => Pick<CrmCheckResult, 'check' | 'detail'> | undefined;

/** The meaning of each status; `detail` is a sentence without its full stop. */
type StatusMeanings = Readonly<Record<number, Pick<CrmCheckResult, 'check' | 'detail'>>>;

interface StatusExplanation {
  readonly crm: string;
  /** Name of the setting for the address. */
  readonly url: string;
  /** Name of the setting for the key. */
  readonly key: string;
  /** How to grant the key its rights, phrased as the end of a sentence. */
  readonly rights: string;
  /** Adds to the usual meanings or replaces them. */
  readonly meanings?: StatusMeanings;
}

const getUsualMeanings = ({ crm, url, key, rights }: StatusExplanation): StatusMeanings => ({
  401: { check: 'credentials', detail: `It rejects ${key}, which is wrong, expired or revoked` },
  402: { check: 'plan', detail: 'The account’s plan or quota doesn’t allow the call, or a payment is due' },
  403: { check: 'rights', detail: `It forbids the call; ${rights}` },
  404: { check: 'address', detail: `It doesn’t know the API call; check ${url}` },
  410: { check: 'address', detail: `${crm} has shut down this version of its API; install a newer version of this site` },
  429: { check: 'limits', detail: 'There were too many calls; try again later' },
});

/** Returns a function that explains a provider's errors by their status. */
export function explainByStatus(explanation: StatusExplanation): ExplainFailure {
  const { crm, url, meanings } = explanation;
  const known = { ...getUsualMeanings(explanation), ...meanings };

  return (error) => {
    if (error.reason === `${crm.toLowerCase()}-malformed-response`) {
      return { check: 'address', detail: `The response doesn’t come from ${crm}; is ${url} right?` };
    }
    if (!(error instanceof ResponseError)) return undefined;
    const { check, detail } = known[error.status] ?? { check: 'address', detail: 'It responded with an error' };

    return { check, detail: `${detail} (${error.reason}).` };
  };
}

/** Runs checks in order and stops at the first failure, because later checks would fail for the same reason. */
export async function runChecksInOrder(
  checks: readonly CrmCheck[],
  explain: ExplainFailure,
): Promise<readonly CrmCheckResult[]> {
  const results: CrmCheckResult[] = [];

  for (const { name, run } of checks) {
    try {
      results.push({ check: name, ...(await run()) });
    } catch (error) {
      const failure = toDeliveryError(error);
      const explained = explain(failure) ?? { check: 'address', detail: describeCallFailure(failure) };
      results.push({ ...explained, ...readObstacle(failure), state: 'fail' });
    }
    if (results.at(-1)?.state === 'fail') break;
  }

  return results;
}

/** Shorter than the timeout of the export that runs the check. */
const OBSTACLE_CHECK_TIMEOUT = 8 * Second;

/** How long a result is reused, so that many contact requests can't cause many checks. In milliseconds. */
const RESULT_TTL = 1 * Minute;

interface Obstacles {
  readonly isRefused: boolean;
  readonly isLimited: boolean;
}

/**
 * Returns a function that tests whether the CRM refuses or limits all requests from this site. It reuses a result for a
 * minute, unless the CRM refused the requests.
 */
export function createObstacleCheck({ test }: Pick<CrmProvider, 'test'>): () => Promise<Obstacles> {
  let check: Promise<Obstacles> | undefined;
  let expiresAt = 0;
  const runTest = async () => {
    const results = await test(AbortSignal.timeout(OBSTACLE_CHECK_TIMEOUT)).catch(() => []);
    const isRefused = results.some(({ isRefusal }) => isRefusal === true);
    const isLimited = results.some(({ isLimit }) => isLimit === true);
    if (isRefused) check = undefined;

    return { isRefused, isLimited };
  };

  return () => {
    if (check && performance.now() < expiresAt) return check;
    expiresAt = performance.now() + RESULT_TTL;
    check = runTest();

    return check;
  };
}
