import pg from 'pg';
import { Second } from '../../time.ts';
import { getErrorCode, SiteError } from '../logging/describe-error.ts';

const LOGIN_REFUSED = /^28/;

/** What to do where PostgreSQL refuses a setting's login; undefined for any other error. */
export function explainRefusedLogin(error: unknown, settingName: string): SiteError | undefined {
  const code = getErrorCode(error) ?? '';
  if (!LOGIN_REFUSED.test(code)) return undefined;

  return new SiteError(
    `PostgreSQL refuses the login (${code}): user and password in ${settingName} (POSTGRES_PASSWORD for the stack's own server) have to be those that it was installed with, or changed to.`,
  );
}

/** Tries to log in; throws SiteError where the login is refused. A server that doesn't respond refuses nothing. */
export async function tryLogin(url: string, settingName: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5 * Second });
  // A connection that ends later is no refusal.
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
