import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { inspectDatabase, type DatabaseState } from '../../shared/node/database/inspect-database.ts';
import { readSchemaState, type SchemaState } from '../../shared/node/database/schema.ts';
import {
  fail,
  pass,
  warn,
  type Check,
  type CheckOutcome,
  type CheckResult,
} from '../../shared/node/monitoring/check.ts';
import { Second } from '../../shared/time.ts';

const CLOCK_WARN = 5 * Second;
const CLOCK_FAIL = 60 * Second;

const reasons: Readonly<Record<string, string>> = {
  '28P01':
    'refuses the login: check the user and password in DATABASE_URL. In the stack run `migrate`; if that is refused too, POSTGRES_PASSWORD is not the one PostgreSQL was set up with',
  '28000': 'refuses the login: check the user in DATABASE_URL and pg_hba.conf',
  '3D000': 'has no such database: create the one DATABASE_URL names',
  '53300': 'is out of connections: raise max_connections, or close some',
  '57P03': 'is starting or stopping: try again in a minute',
};

function describeOutage(error: unknown, databaseUrl: string): string {
  const { hostname, port } = new URL(databaseUrl);
  const code = getErrorCode(error) ?? 'no response';
  const reason = reasons[code] ?? `can't be reached at ${hostname}:${port || 5432}: is it running?`;

  return `PostgreSQL ${reason} (${code})`;
}

/** Returns the server's state, or the failed check that prevents all others. */
export async function inspectPostgres(
  database: Database,
  databaseUrl: string,
): Promise<DatabaseState | CheckResult> {
  try {
    return await inspectDatabase(database);
  } catch (error) {
    return { check: 'postgres', ...fail(describeOutage(error, databaseUrl)) };
  }
}

function assessClock({ clockAheadMs }: DatabaseState): CheckOutcome {
  const ahead = Math.abs(clockAheadMs);
  const seconds = (ahead / Second).toFixed(1);
  const detail = `This machine's clock is ${seconds} s ${clockAheadMs < 0 ? 'behind' : 'ahead of'} PostgreSQL's`;
  if (ahead <= CLOCK_WARN) return pass(`${detail}.`);
  const advice = `${detail}: synchronize both clocks by NTP.`;

  return ahead > CLOCK_FAIL ? fail(advice) : warn(advice);
}

/** Returns the results derived from the server's state. */
export function assessPostgres(state: DatabaseState): readonly CheckResult[] {
  const { version, isReadOnly } = state;

  const server = isReadOnly
    ? fail('PostgreSQL is read-only: no request can be stored. Is it a standby, or is its disk full?')
    : pass(`PostgreSQL ${version} responds.`);
  return [
    { check: 'postgres', ...server },
    { check: 'clock', ...assessClock(state) },
  ];
}

const schemaOutcomes: Readonly<Record<SchemaState, CheckOutcome>> = {
  current: pass('The schema is current.'),
  behind: fail('The schema is behind: run the migrations (npm run migrate, in the stack: docker compose run --rm migrate).'),
  'too-new': fail('The schema is more than one step newer than this version: install a newer version.'),
};

export const checkSchema = (database: Database): Check => ({
  name: 'schema',
  run: async () => schemaOutcomes[await readSchemaState(database)],
});
