import { setTimeout as wait } from 'node:timers/promises';
import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import { Second } from '../../shared/time.ts';

/**
 * What a finding means: nothing to do (`ok`, `info`), something to look at (`warn`), a fault
 * (`fail`), or not looked at because of another fault (`skip`).
 */
export type Status = 'ok' | 'info' | 'warn' | 'fail' | 'skip';

/** One line of the doctor. */
export interface Finding {
  /** What was looked at. */
  readonly check: string;
  readonly status: Status;
  /** What is right or wrong, and what to do about it; no secret, no personal data. */
  readonly detail: string;
}

/** A look at one thing. */
export interface Check {
  readonly name: string;
  /** Longer than any of the time-outs below it. */
  readonly look: () => Promise<Finding | readonly Finding[]>;
}

const PATIENCE = 10 * Second;

/** A finding about what can't be looked at: by its code, for messages may hold names. */
function makeFailure(check: string, error: unknown): Finding {
  const name = error instanceof Error ? error.name : typeof error;

  return { check, status: 'fail', detail: `It can't be checked (${getErrorCode(error) ?? name}).` };
}

/** Looks, for ten seconds at most; what throws or hangs is a fault by itself. */
export async function runCheck({ name, look }: Check): Promise<readonly Finding[]> {
  const timeOut = wait(PATIENCE, undefined, { ref: false }).then((): Finding => ({
    check: name,
    status: 'fail',
    detail: `It gave no answer within ${PATIENCE / Second} seconds.`,
  }));

  try {
    return [await Promise.race([look(), timeOut])].flat();
  } catch (error) {
    return [makeFailure(name, error)];
  }
}

/** All at the same time, in their order. */
export async function runChecks(checks: readonly Check[]): Promise<readonly Finding[]> {
  return (await Promise.all(checks.map(runCheck))).flat();
}
