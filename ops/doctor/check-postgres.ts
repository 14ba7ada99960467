import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { inspectDatabase, type DatabaseState } from '../../shared/node/database/inspect-database.ts';
import { readSchemaState, type SchemaState } from '../../shared/node/database/schema.ts';
import { Second } from '../../shared/time.ts';
import type { Check, Finding } from './check.ts';

const CLOCK_WARN = 5 * Second;
const CLOCK_FAIL = 60 * Second;

/** SQLSTATEs that an operator can act upon. */
const reasons: Readonly<Record<string, string>> = {
  '28P01': 'refuses the login: check user and password in DATABASE_URL',
  '28000': 'refuses the login: check the user in DATABASE_URL and pg_hba.conf',
  '3D000': 'has no such database: create the one DATABASE_URL names',
  '53300': 'is out of connections: raise max_connections, or end what holds them',
  '57P03': 'is starting or stopping: try again in a minute',
};

function describeAbsence(error: unknown, databaseUrl: string): string {
  const { hostname, port } = new URL(databaseUrl);
  const code = getErrorCode(error) ?? 'no answer';
  const reason = reasons[code] ?? `can't be reached at ${hostname}:${port || 5432}: is it running?`;

  return `PostgreSQL ${reason} (${code})`;
}

/** How the server is, or the one fault that hides all else. */
export async function inspectPostgres(
  database: Database,
  databaseUrl: string,
): Promise<DatabaseState | Finding> {
  try {
    return await inspectDatabase(database);
  } catch (error) {
    return { check: 'postgres', status: 'fail', detail: describeAbsence(error, databaseUrl) };
  }
}

function judgeClock({ clockAheadMs }: DatabaseState): Finding {
  const ahead = Math.abs(clockAheadMs);
  const seconds = (ahead / Second).toFixed(1);
  const detail = `This machine's clock is ${seconds} s ${clockAheadMs < 0 ? 'behind' : 'ahead of'} PostgreSQL's`;
  if (ahead > CLOCK_WARN) {
    const status = ahead > CLOCK_FAIL ? 'fail' : 'warn';

    return { check: 'clock', status, detail: `${detail}: set both by NTP.` };
  }

  return { check: 'clock', status: 'ok', detail: `${detail}.` };
}

/** What can be judged from the server's state alone. */
export function assessPostgres(state: DatabaseState): readonly Finding[] {
  const { version, isReadOnly, fsync, fullPageWrites } = state;

  return [
    isReadOnly
      ? {
          check: 'postgres',
          status: 'fail',
          detail: 'PostgreSQL is read-only: no request can be stored. Is it a standby, or full?',
        }
      : { check: 'postgres', status: 'ok', detail: `PostgreSQL ${version} answers.` },
    fsync === 'on'
      ? { check: 'fsync', status: 'ok', detail: 'fsync is on.' }
      : {
          check: 'fsync',
          status: 'fail',
          detail: `fsync is ${fsync}: a power cut loses stored requests. Set fsync = on.`,
        },
    fullPageWrites === 'on'
      ? { check: 'full_page_writes', status: 'ok', detail: 'full_page_writes is on.' }
      : {
          check: 'full_page_writes',
          status: 'fail',
          detail: `full_page_writes is ${fullPageWrites}: a power cut can break the database. Set it to on.`,
        },
    judgeClock(state),
  ];
}

const schemaFindings: Readonly<Record<SchemaState, Omit<Finding, 'check'>>> = {
  current: { status: 'ok', detail: 'The schema is current.' },
  behind: {
    status: 'fail',
    detail: 'The schema is behind: run the migrations (npm run migrate, in the image: node migrations/main.ts).',
  },
  'too-new': {
    status: 'fail',
    detail: 'The schema is of a version more than one step newer: install a newer version.',
  },
};

/** Whether this version works on the schema. */
export const checkSchema = (database: Database): Check => ({
  name: 'schema',
  look: async () => ({ check: 'schema', ...schemaFindings[await readSchemaState(database)] }),
});
