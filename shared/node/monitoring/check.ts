import { Second } from '../../time.ts';
import type { Config } from '../config/config.ts';
import { isDatabaseUnavailable, type Database } from '../database/database.ts';
import { alerts, type AlertName } from '../logging/alert-list.ts';
import { getErrorCode } from '../logging/describe-error.ts';
import { TimeoutError, withTimeout } from '../process/with-timeout.ts';

/** `ok` and `info` need nothing, `warn` will stop working, `fail` is an error, `skip` depends on another error. */
type CheckState = 'ok' | 'info' | 'warn' | 'fail' | 'skip';

export interface CheckResult {
  readonly check: string;
  readonly state: CheckState;
  /** Exactly what is right or wrong, and what to do about it; no secret, no personal data. */
  readonly detail: string;
}

export type CheckOutcome = Omit<CheckResult, 'check'>;

export const pass = (detail: string): CheckOutcome => ({ state: 'ok', detail });
export const warn = (detail: string): CheckOutcome => ({ state: 'warn', detail });
export const fail = (detail: string): CheckOutcome => ({ state: 'fail', detail });

export type NamedOutcome = CheckOutcome & { readonly check?: string };

export interface Check {
  readonly name: string;
  /** Results without a name are given the check's. */
  readonly run: () => Promise<NamedOutcome | readonly NamedOutcome[]>;
}

/** Longer than any of the timeouts of what is checked. */
const TIMEOUT = 10 * Second;

/** Names the error by its code: messages may hold names. */
function describeFailure(error: unknown): string {
  if (error instanceof TimeoutError) return `There was no response within ${TIMEOUT / Second} seconds.`;
  const code = getErrorCode(error);
  if (code === undefined && isDatabaseUnavailable(error)) return "PostgreSQL didn't respond in time.";
  const name = error instanceof Error ? error.name : typeof error;

  return `It can't be checked (${code ?? name}).`;
}

/** Runs a check for ten seconds at most; one that throws or hangs has failed. */
export async function runCheck({ name, run }: Check): Promise<readonly CheckResult[]> {
  try {
    return [await withTimeout(run, TIMEOUT)].flat().map((outcome) => ({ check: name, ...outcome }));
  } catch (error) {
    return [{ check: name, ...fail(describeFailure(error)) }];
  }
}

/** Runs checks at the same time; their results come in the checks' order. */
export async function runChecks(checks: readonly Check[]): Promise<readonly CheckResult[]> {
  return (await Promise.all(checks.map(runCheck))).flat();
}

export interface Site {
  readonly config: Config;
  readonly database: Database;
}

/** A check of the site, for doctor, status, alerts and the gauge. */
export interface SiteCheckParts<Found> {
  /** Also the label of the gauge. */
  readonly name: string;
  readonly read: (site: Site) => Promise<Found>;
  /** Results without a name are given the check's. `now` is in milliseconds since 1970. */
  readonly assess: (found: Found, now: number) => NamedOutcome | readonly NamedOutcome[];
  /** Raised for a warning or a failure; by default `check-failed`, for a failure only. */
  readonly alert?: AlertName;
  /** What to do about a warning or a failure; by default the alert's action. */
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

/** The same for the doctor, which says what to do beside what is wrong. */
export const withAdvice = ({ name, find, advice }: SiteCheck, site: Site): Check => ({
  name,
  run: async () =>
    (await find(site)).map((found) =>
      needsAttention(found) ? { ...found, detail: `${found.detail} ${advice}` } : found,
    ),
});

/** Makes a check of what it reads and how it assesses that. */
export function defineCheck<Found>(parts: SiteCheckParts<Found>): SiteCheck & SiteCheckParts<Found> {
  const { read, assess, alert = 'check-failed' } = parts;

  return {
    advice: alerts[alert].action,
    ...parts,
    alert,
    find: async (site) => [assess(await read(site), Date.now())].flat(),
  };
}
