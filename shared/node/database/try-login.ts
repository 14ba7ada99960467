import pg from 'pg';
import { Second } from '../../time.ts';
import { getErrorCode, SiteError } from '../logging/describe-error.ts';

const LOGIN_REFUSED = /^28/;

/** Returns an error with advice if PostgreSQL refused the login in a setting; undefined for other errors. */
export function explainRefusedLogin(error: unknown, settingName: string): SiteError | undefined {
  const code = getErrorCode(error) ?? '';
  if (!LOGIN_REFUSED.test(code)) return undefined;

  return new SiteError(
    `PostgreSQL refuses the login (${code}): the user and password in ${settingName} (POSTGRES_PASSWORD for the stack's own server) must match those set when PostgreSQL was installed, or changed since then.`,
  );
}

/** Tries to log in. Does nothing if the server doesn't respond. @throws SiteError if the login is refused */
export async function tryLogin(url: string, settingName: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5 * Second });
  // If the connection ends later, the login was not refused.
  client.on('error', () => undefined);

  try {
    await client.connect();
  } catch (error) {
    const refusal = explainRefusedLogin(error, settingName);
    if (refusal) throw refusal;
  } finally {
    await client.end();
  }
}
