import { Second } from '../../time.ts';
import type { Config } from '../config/config.ts';
import { isDatabaseUnavailable, type Database } from '../database/database.ts';
import { alerts, type AlertName } from '../logging/alert-list.ts';
import { getErrorCode } from '../logging/describe-error.ts';
import { TimeoutError, withTimeout } from '../process/with-timeout.ts';

/** `warn`: this will become an error. `skip`: another error prevented the check. `ok` and `info` need no action. */
type CheckState = 'ok' | 'info' | 'warn' | 'fail' | 'skip';

export interface CheckResult {
  readonly check: string;
  readonly state: CheckState;
  /** The finding and what to do about it, without secrets or personal data. */
  readonly detail: string;
}

export type CheckOutcome = Omit<CheckResult, 'check'>;

export const pass = (detail: string): CheckOutcome => ({ state: 'ok', detail });
export const warn = (detail: string): CheckOutcome => ({ state: 'warn', detail });
export const fail = (detail: string): CheckOutcome => ({ state: 'fail', detail });

export type NamedOutcome = CheckOutcome & { readonly check?: string };

export interface Check {
  readonly name: string;
  /** Results without a name get the check's name. */
  readonly run: () => Promise<NamedOutcome | readonly NamedOutcome[]>;
}

/** Timeout for a check, longer than the timeouts of its calls. */
const TIMEOUT = 10 * Second;

/** Describes an error by its code, because its message may contain personal data. */
function describeFailure(error: unknown): string {
  if (error instanceof TimeoutError) return `There was no response within ${TIMEOUT / Second} seconds.`;
  const code = getErrorCode(error);
  if (code === undefined && isDatabaseUnavailable(error)) return "PostgreSQL didn't respond in time.";
  const name = error instanceof Error ? error.name : typeof error;

  return `It can't be checked (${code ?? name}).`;
}

/** Runs a check for at most ten seconds. The check fails if it throws or times out. */
export async function runCheck({ name, run }: Check): Promise<readonly CheckResult[]> {
  try {
    return [await withTimeout(run, TIMEOUT)].flat().map((outcome) => ({ check: name, ...outcome }));
  } catch (error) {
    return [{ check: name, ...fail(describeFailure(error)) }];
  }
}

/** Runs checks concurrently and returns their results in order. */
export async function runChecks(checks: readonly Check[]): Promise<readonly CheckResult[]> {
  return (await Promise.all(checks.map(runCheck))).flat();
}

export interface Site {
  readonly config: Config;
  readonly database: Database;
}

/** Definition of a check, used by doctor, status, alerts and metrics. */
export interface SiteCheckParts<Found> {
  /** Also the label in metrics. */
  readonly name: string;
  readonly read: (site: Site) => Promise<Found>;
  /** Results without a name get the check's name. `now` is in milliseconds since 1970. */
  readonly assess: (found: Found, now: number) => NamedOutcome | readonly NamedOutcome[];
  /** Raised for a warning or a failure. The default, `check-failed`, is raised only for a failure. */
  readonly alert?: AlertName;
  /** What to do about a warning or a failure. Default: the alert's action. */
  readonly advice?: string;
  /** HEARTBEAT_URL is not called while the check fails. */
  readonly stopsHeartbeat?: true;
}

export interface SiteCheck extends Omit<SiteCheckParts<never>, 'read' | 'assess'> {
  readonly alert: AlertName;
  readonly advice: string;
  readonly find: (site: Site) => Promise<readonly NamedOutcome[]>;
}

export const needsAttention = ({ state }: CheckOutcome): boolean => state === 'warn' || state === 'fail';

/** Converts a site check to a doctor check, which adds the advice to warnings and failures. */
export const withAdvice = ({ name, find, advice }: SiteCheck, site: Site): Check => ({
  name,
  run: async () =>
    (await find(site)).map((found) =>
      needsAttention(found) ? { ...found, detail: `${found.detail} ${advice}` } : found,
    ),
});

/** Completes a definition with defaults and `find`. */
export function defineCheck<Found>(parts: SiteCheckParts<Found>): SiteCheck & SiteCheckParts<Found> {
  const { read, assess, alert = 'check-failed' } = parts;

  return {
    advice: alerts[alert].action,
    ...parts,
    alert,
    find: async (site) => [assess(await read(site), Date.now())].flat(),
  };
}
