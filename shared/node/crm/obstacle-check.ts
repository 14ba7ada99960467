import { Minute, Second } from '../../time.ts';
import type { CrmProvider } from './crm-provider.ts';

/** Leaves the export that asks enough of its own time to end. */
const CHECK_TIMEOUT = 8 * Second;

/** A check counts so long: who posts requests can't have the CRM called at will. */
const CHECK_LIFE = 1 * Minute;

/** What stands in the way of whatever this site sends to a CRM. */
interface Obstacles {
  readonly isRefused: boolean;
  readonly isLimited: boolean;
}

/**
 * Makes the question whether a CRM refuses this site, or asks it to wait, whatever it sends. The
 * provider's own test answers it, once a minute at most in each worker; a refusal holds the kind back
 * for longer and is asked anew.
 * @returns a function that resolves to no obstacle when the test can't be made
 */
export function makeObstacleCheck({ test }: Pick<CrmProvider, 'test'>): () => Promise<Obstacles> {
  let check: Promise<Obstacles> | undefined;
  let endsAt = 0;
  const askProvider = async () => {
    const findings = await test(AbortSignal.timeout(CHECK_TIMEOUT)).catch(() => []);
    const isRefused = findings.some(({ isRefusal }) => isRefusal === true);
    const isLimited = findings.some(({ isLimit }) => isLimit === true);
    if (isRefused) check = undefined;

    return { isRefused, isLimited };
  };

  return () => {
    if (check && performance.now() < endsAt) return check;
    endsAt = performance.now() + CHECK_LIFE;
    check = askProvider();

    return check;
  };
}
