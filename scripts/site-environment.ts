import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { settings } from '../shared/node/config/settings.ts';
import { isLocked } from './lock.mjs';
import { projectRoot } from './processes.ts';
import { readOrCreateSecret } from './secret-file.ts';

export const dataRoot = join(projectRoot, '.data');

const DEFAULT_PORT = 3000;

/** Lock held while a site runs in this folder. */
export const SITE_LOCK = 'site';

/** File with the running site's settings. */
const settingsFile = join(dataRoot, 'running-site.json');

/** Returns whether a setting is in the environment, directly or as NAME_FILE. */
function isSet(name: string): boolean {
  return Boolean(process.env[name]) || Boolean(process.env[`${name}_FILE`]);
}

/** Returns the site's port: PORT, or 3000. @throws if PORT is invalid */
export function readPort(): number {
  const text = process.env.PORT?.trim();
  if (!text) return DEFAULT_PORT;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) {
    throw new Error(`PORT must be a number from 1 to 65535, not "${text}".`);
  }
  return port;
}

/** Returns the environment plus defaults for everything web, worker and migrations require. */
export async function buildSiteEnvironment(
  nodeEnvironment: 'production' | 'development',
  port: number,
  databaseUrl: string,
): Promise<NodeJS.ProcessEnv> {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    NODE_ENV: nodeEnvironment,
    PORT: String(port),
    DATABASE_URL: databaseUrl,
  };
  delete env.DATABASE_URL_FILE;
  const defaults = {
    // Reachable only from this machine by default.
    PUBLIC_URL: `http://localhost:${port}`,
    MAIL_FROM: 'site@example.com',
    SALES_EMAIL: 'sales@example.com',
    LOG_LEVEL: 'warn',
    MAIL_DIR: join(dataRoot, 'mail'),
    CRM_DIR: join(dataRoot, 'crm'),
    ERASURES_DIR: join(dataRoot, 'erasures'),
  };
  for (const [name, value] of Object.entries(defaults)) {
    if (!isSet(name)) env[name] = value;
  }
  // This clone's own secrets.
  for (const [name, file, bytes] of [['COOKIE_SECRET', 'cookie-secret', 32], ['INSIGHTS_PASSWORD', 'insights-password', 6]] as const) {
    if (!isSet(name)) env[name] = await readOrCreateSecret(join(dataRoot, file), bytes);
  }
  return env;
}

/** Writes the running site's settings for the operator's tool. Returns a function that removes the file. */
export async function publishSettings(env: NodeJS.ProcessEnv): Promise<() => Promise<void>> {
  const names = ['SITE_BUILD', ...Object.keys(settings).flatMap((name) => [name, `${name}_FILE`])];
  const given = names.filter((name) => env[name]).map((name) => [name, env[name]]);
  // Rename the file once it is complete, so no command reads a partial one.
  await writeFile(`${settingsFile}.new`, JSON.stringify(Object.fromEntries(given)), { mode: 0o600 });
  await rename(`${settingsFile}.new`, settingsFile);
  return () => rm(settingsFile, { force: true });
}

/** Returns the environment. If it names no database, adds the settings of the site running here. */
export async function findSiteEnvironment(): Promise<NodeJS.ProcessEnv> {
  // A killed site leaves its file behind.
  if (isSet('DATABASE_URL') || !(await isLocked(SITE_LOCK))) return process.env;
  const text = await readFile(settingsFile, 'utf8').catch(() => '{}');
  return { ...(JSON.parse(text) as NodeJS.ProcessEnv), ...process.env };
}

/** Returns the text that is printed once the site is running. */
export function describeSite(
  env: NodeJS.ProcessEnv,
  places: Readonly<Record<'database' | 'logs', string>>,
): string {
  const { PORT, METRICS_PORT, MAIL_DIR, CRM_DIR, CRM_PROVIDER } = env;
  const password = isSet('INSIGHTS_PASSWORD') ? 'as set' : env.INSIGHTS_PASSWORD;
  const mails = isSet('SMTP_URL') ? 'sent through SMTP_URL' : MAIL_DIR;
  const usesFiles = !CRM_PROVIDER || CRM_PROVIDER === 'file';
  const exports = usesFiles ? CRM_DIR : `CRM_PROVIDER=${CRM_PROVIDER}`;
  return [
    '',
    `  Site               http://localhost:${PORT}`,
    `  Insights password  ${password}`,
    `  Mails              ${mails}`,
    `  CRM exports        ${exports}`,
    `  Database           ${places.database}`,
    `  Jobs               ${isSet('REDIS_URL') ? 'on Redis at REDIS_URL' : 'on PostgreSQL alone'}`,
    `  Logs               ${places.logs}`,
    ...(METRICS_PORT ? [`  Metrics of web     http://localhost:${METRICS_PORT}/metrics`] : []),
    '',
    '  Ctrl-C stops everything.',
    '',
  ].join('\n');
}
