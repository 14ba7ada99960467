import { Minute, Second } from '../../shared/time.ts';
import type { CrmProvider } from './crm-provider.ts';

/** Leaves the export that asks enough of its own time to end. */
const CHECK_TIMEOUT = 8 * Second;

/** A check that found nothing counts so long: who posts requests can't have the CRM called at will. */
const CHECK_LIFE = 1 * Minute;

/**
 * Makes the question whether a CRM refuses this site whatever it sends, which the provider's own test
 * answers. It is asked once a minute at most by each worker; a refusal holds the kind back for longer.
 * @returns a function that resolves to false when the test can't be made
 */
export function makeRefusalCheck({ test }: Pick<CrmProvider, 'test'>): () => Promise<boolean> {
  let check: Promise<boolean> | undefined;
  let endsAt = 0;
  const askProvider = async () => {
    const findings = await test(AbortSignal.timeout(CHECK_TIMEOUT)).catch(() => []);
    const isRefused = findings.some(({ isRefusal }) => isRefusal === true);
    if (isRefused) check = undefined;

    return isRefused;
  };

  return () => {
    if (check && performance.now() < endsAt) return check;
    endsAt = performance.now() + CHECK_LIFE;
    check = askProvider();

    return check;
  };
}
