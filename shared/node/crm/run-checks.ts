import { toDeliveryError, type DeliveryError } from '../deliveries/delivery-error.ts';
import { asksToWait } from '../outbound/classify-response.ts';
import { describeCallFailure } from '../outbound/describe-call-failure.ts';
import type { CrmFinding } from './crm-provider.ts';

export type CheckResult = Omit<CrmFinding, 'check'>;

export const pass = (detail: string): CheckResult => ({ state: 'ok', detail });
export const warn = (detail: string): CheckResult => ({ state: 'warn', detail });
export const fail = (detail: string): CheckResult => ({ state: 'fail', detail });
/** A fault for which the other side refuses every lead; see `CrmFinding.isRefusal`. */
export const refuse = (detail: string): CheckResult => ({ ...fail(detail), isRefusal: true });

export interface CrmCheck {
  readonly check: string;
  readonly run: () => CheckResult | Promise<CheckResult>;
}

/** What an error says of everything this site sends; see `CrmFinding`. */
export function findObstacle(error: DeliveryError): Pick<CrmFinding, 'isRefusal' | 'isLimit'> {
  if (error.verdict === 'paused') return { isRefusal: true };

  return asksToWait(error) ? { isLimit: true } : {};
}

/** Says what a check's error means; undefined leaves it to the words for failed calls. */
export type ExplainFailure = (
  error: DeliveryError,
) => Pick<CrmFinding, 'check' | 'detail'> | undefined;

/** Runs checks one after another, up to the first fault: what comes after it tells nothing. */
export async function runChecks(
  checks: readonly CrmCheck[],
  explain: ExplainFailure,
): Promise<readonly CrmFinding[]> {
  const findings: CrmFinding[] = [];

  for (const { check, run } of checks) {
    try {
      findings.push({ check, ...(await run()) });
    } catch (error) {
      const failure = toDeliveryError(error);
      const told = explain(failure) ?? { check: 'address', detail: describeCallFailure(failure) };
      findings.push({ ...told, ...findObstacle(failure), state: 'fail' });
    }
    if (findings.at(-1)?.state === 'fail') break;
  }

  return findings;
}
