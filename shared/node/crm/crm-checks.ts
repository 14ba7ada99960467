import { Day, Minute, Second } from '../../time.ts';
import { ResponseError, toDeliveryError, type DeliveryError } from '../outbound/delivery-error.ts';
import { fail, pass, warn } from '../monitoring/check.ts';
import { asksToWait, describeCallFailure } from '../outbound/classify-response.ts';
import type { CrmCheckResult, CrmProvider } from './crm-provider.ts';

export type CrmCheckOutcome = Omit<CrmCheckResult, 'check'>;

/** A failure that every lead would meet; see `CrmCheckResult.isRefusal`. */
export const refuse = (detail: string): CrmCheckOutcome => ({ ...fail(detail), isRefusal: true });

/** Time to create another key before the exports stop. */
const KEY_WARNING = 14 * Day;

/** Reports when a key expires (a day such as `2027-02-10`), as a warning in the two weeks before. */
export const reportUntil = (end: string, detail: string): CrmCheckOutcome =>
  (Date.parse(end) - Date.now() > KEY_WARNING ? pass : warn)(detail);

export interface CrmCheck {
  readonly name: string;
  readonly run: () => CrmCheckOutcome | Promise<CrmCheckOutcome>;
}

/** Reads from an error whether it concerns whatever this site sends. */
export function readObstacle(error: DeliveryError): Pick<CrmCheckResult, 'isRefusal' | 'isLimit'> {
  if (error.result === 'paused') return { isRefusal: true };

  return asksToWait(error) ? { isLimit: true } : {};
}

/** What a check's error means, and under which name it is reported; undefined for a failed call. */
export type ExplainFailure = (
  error: DeliveryError,
) => Pick<CrmCheckResult, 'check' | 'detail'> | undefined;

/** Names a response's meaning by its status; `detail` is a sentence without its full stop. */
type StatusMeanings = Readonly<Record<number, Pick<CrmCheckResult, 'check' | 'detail'>>>;

interface StatusExplanation {
  readonly crm: string;
  /** The setting with its address. */
  readonly url: string;
  /** The setting with its key. */
  readonly key: string;
  /** What gives the key its rights, as the end of a sentence. */
  readonly rights: string;
  /** In addition to the usual ones, or in their place. */
  readonly meanings?: StatusMeanings;
}

const getUsualMeanings = ({ crm, url, key, rights }: StatusExplanation): StatusMeanings => ({
  401: { check: 'credentials', detail: `It refuses ${key}: wrong, expired or revoked` },
  402: { check: 'plan', detail: 'The account’s plan or quota doesn’t allow it, or a payment is due' },
  403: { check: 'rights', detail: `It forbids the call; ${rights}` },
  404: { check: 'address', detail: `It doesn’t know the call; set the right ${url}` },
  410: { check: 'address', detail: `${crm} has ended this version of its API; install a newer version of this site` },
  429: { check: 'limits', detail: 'There were too many calls; try again later' },
});

/** Explains a provider's errors by their status. */
export function explainByStatus(explanation: StatusExplanation): ExplainFailure {
  const { crm, url, meanings } = explanation;
  const known = { ...getUsualMeanings(explanation), ...meanings };

  return (error) => {
    if (error.reason === `${crm.toLowerCase()}-malformed-response`) {
      return { check: 'address', detail: `The response is not ${crm}’s; is ${url} right?` };
    }
    if (!(error instanceof ResponseError)) return undefined;
    const { check, detail } = known[error.status] ?? { check: 'address', detail: 'It responds with an error' };

    return { check, detail: `${detail} (${error.reason}).` };
  };
}

const describeUnexpectedFailure = (error: DeliveryError) => ({
  check: 'address',
  detail: describeCallFailure(error),
});

/** Runs checks one after another, up to the first that fails: the rest would only repeat it. */
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
      const explained = explain(failure) ?? describeUnexpectedFailure(failure);
      results.push({ ...explained, ...readObstacle(failure), state: 'fail' });
    }
    if (results.at(-1)?.state === 'fail') break;
  }

  return results;
}

/** Ends before the timeout of the export that runs the check. */
const OBSTACLE_CHECK_TIMEOUT = 8 * Second;

/** A result is reused for so long: who posts requests can't have the CRM called at will. */
const RESULT_TTL = 1 * Minute;

interface Obstacles {
  readonly isRefused: boolean;
  readonly isLimited: boolean;
}

/** Creates a test whether a CRM refuses this site, or asks it to wait, whatever it sends; at most once a minute. */
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
