import pg from 'pg';
import { Second } from '../../time.ts';
import { getErrorCode, SiteError } from '../logging/describe-error.ts';

/** SQLSTATEs of class 28: the login is refused. */
const LOGIN_REFUSED = /^28/;

/** How a setting is called to operators, where another one decides it. */
const names: Readonly<Record<string, string>> = {
  DATABASE_ADMIN_URL: 'DATABASE_ADMIN_URL (POSTGRES_PASSWORD in the stack)',
};

/** What to do where PostgreSQL refuses the login that a setting has; undefined for any other error. */
export function explainRefusedLogin(error: unknown, settingName: string): SiteError | undefined {
  const code = getErrorCode(error) ?? '';
  if (!LOGIN_REFUSED.test(code)) return undefined;

  return new SiteError(
    `PostgreSQL refuses the login (${code}): user and password in ${names[settingName] ?? settingName} have to be those that it was installed with, or changed to.`,
  );
}

/**
 * Tries to log in. A server that doesn't respond, or has no such database yet, refuses nothing.
 * @throws SiteError naming the setting where the login is refused
 */
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
