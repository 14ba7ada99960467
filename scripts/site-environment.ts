import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { settings } from '../shared/node/config/settings.ts';
import { isLocked } from './lock.mjs';
import { projectRoot } from './processes.ts';
import { readOrCreateSecret } from './secret-file.ts';

export const dataRoot = join(projectRoot, '.data');

const DEFAULT_PORT = 3000;

/** Returns whether a setting is in the environment, directly or as NAME_FILE. */
export function isSet(name: string): boolean {
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
  suffix: string,
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
    MAIL_DIR: join(dataRoot, `mail${suffix}`),
    CRM_DIR: join(dataRoot, `crm${suffix}`),
    ERASURES_DIR: join(dataRoot, `erasures${suffix}`),
  };
  for (const [name, value] of Object.entries(defaults)) {
    if (!isSet(name)) env[name] = value;
  }
  // Secrets of this clone.
  for (const [name, file, bytes] of [['COOKIE_SECRET', 'cookie-secret', 32], ['INSIGHTS_PASSWORD', 'insights-password', 6]] as const) {
    if (!isSet(name)) env[name] = await readOrCreateSecret(join(dataRoot, file), bytes);
  }
  return env;
}

/** Returns the port of web's metrics server plus one, or undefined if unset or invalid. */
function getWorkerMetricsPort({ METRICS_PORT }: NodeJS.ProcessEnv): string | undefined {
  const port = Number(METRICS_PORT);
  return Number.isInteger(port) && port > 0 ? String(port + 1) : undefined;
}

/** Returns the worker's environment, with its own metrics port on the same host. */
export function buildWorkerEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const port = getWorkerMetricsPort(env);
  return port === undefined ? env : { ...env, METRICS_PORT: port };
}

/** Writes the running site's settings for the operator's tool. Returns a function that removes the file. */
export async function publishSettings(env: NodeJS.ProcessEnv, suffix: string): Promise<() => Promise<void>> {
  const names = ['SITE_BUILD', ...Object.keys(settings).flatMap((name) => [name, `${name}_FILE`])];
  const given = names.filter((name) => env[name]).map((name) => [name, env[name]]);
  const file = join(dataRoot, `running-site${suffix}.json`);
  // Renamed once complete, so that nobody reads a partial file.
  await writeFile(`${file}.new`, JSON.stringify(Object.fromEntries(given)), { mode: 0o600 });
  await rename(`${file}.new`, file);
  return () => rm(file, { force: true });
}

/** Returns the environment, or that of the first site running here if no database is set. */
export async function findSiteEnvironment(): Promise<NodeJS.ProcessEnv> {
  if (isSet('DATABASE_URL')) return process.env;
  const names = await readdir(dataRoot).catch(() => []);
  const suffixes = names.flatMap((name) => /^running-site(|-\d+)\.json$/.exec(name)?.[1] ?? []);
  for (const suffix of suffixes.sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))) {
    // A killed site leaves its file behind.
    if (!(await isLocked(`site${suffix}`))) continue;
    // The site may have just stopped.
    const text = await readFile(join(dataRoot, `running-site${suffix}.json`), 'utf8').catch(() => '{}');
    return { ...(JSON.parse(text) as NodeJS.ProcessEnv), ...process.env };
  }
  return process.env;
}

/** Returns the console text of a running site. */
export function describeSite(
  env: NodeJS.ProcessEnv,
  places: Readonly<Record<'database' | 'logs', string>>,
): string {
  const { PORT, METRICS_PORT, MAIL_DIR, CRM_DIR, CRM_PROVIDER } = env;
  const workerMetricsPort = getWorkerMetricsPort(env);
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
    ...(workerMetricsPort === undefined
      ? []
      : [
          `  Metrics of web     http://localhost:${METRICS_PORT}/metrics`,
          `  Metrics of worker  http://localhost:${workerMetricsPort}/metrics`,
        ]),
    '',
    '  Ctrl-C stops everything.',
    '',
  ].join('\n');
}
