import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { settings } from '../shared/node/config/settings.ts';
import { isLocked } from './lock.mjs';
import { projectRoot } from './processes.ts';
import { readOrCreateSecret } from './secret-file.ts';

export const dataRoot = join(projectRoot, '.data');

const DEFAULT_PORT = 3000;

/** Whether our environment has a setting, itself or as the file that holds it. */
export function isSet(name: string): boolean {
  return Boolean(process.env[name]) || Boolean(process.env[`${name}_FILE`]);
}

/** The port the site will listen on: PORT, or 3000. Throws when PORT is not a port number. */
export function readPort(): number {
  const text = process.env.PORT?.trim();
  if (!text) return DEFAULT_PORT;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) {
    throw new Error(`PORT must be a number from 1 to 65535, not "${text}".`);
  }
  return port;
}

/** Our environment plus what web, worker and migrations need and the user left unset. */
export async function buildSiteEnvironment(
  nodeEnvironment: 'production' | 'development',
  port: number,
  urls: { readonly databaseUrl: string; readonly redisUrl: string | undefined },
  suffix: string,
): Promise<NodeJS.ProcessEnv> {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    NODE_ENV: nodeEnvironment,
    PORT: String(port),
    DATABASE_URL: urls.databaseUrl,
  };
  delete env.DATABASE_URL_FILE;
  if (urls.redisUrl !== undefined) env.REDIS_URL = urls.redisUrl;
  const defaults = {
    // For this machine alone, unless whoever starts it says otherwise.
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
  // Secrets of this copy of the project.
  for (const [name, file, bytes] of [['COOKIE_SECRET', 'cookie-secret', 32], ['INSIGHTS_PASSWORD', 'insights-password', 6]] as const) {
    if (!isSet(name)) env[name] = await readOrCreateSecret(join(dataRoot, file), bytes);
  }
  return env;
}

/** The port of web's metrics server plus one; undefined without one, or while it is no port. */
function getWorkerMetricsPort({ METRICS_PORT }: NodeJS.ProcessEnv): string | undefined {
  const port = Number(METRICS_PORT);
  return Number.isInteger(port) && port > 0 ? String(port + 1) : undefined;
}

/** Web's environment for the worker, which has a metrics server of its own on the same host. */
export function buildWorkerEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const port = getWorkerMetricsPort(env);
  return port === undefined ? env : { ...env, METRICS_PORT: port };
}

/** Writes the started site's settings for the operator's tool; returns what removes the file. */
export async function publishSettings(env: NodeJS.ProcessEnv, suffix: string): Promise<() => Promise<void>> {
  const names = Object.keys(settings).flatMap((name) => [name, `${name}_FILE`]);
  const given = names.filter((name) => env[name]).map((name) => [name, env[name]]);
  const file = join(dataRoot, `running-site${suffix}.json`);
  // Renamed when complete, so that no reader finds a part of it.
  await writeFile(`${file}.new`, JSON.stringify(Object.fromEntries(given)), { mode: 0o600 });
  await rename(`${file}.new`, file);
  return () => rm(file, { force: true });
}

/** Our environment; without a database in it, that of the first site that runs here, if one does. */
export async function findSiteEnvironment(): Promise<NodeJS.ProcessEnv> {
  if (isSet('DATABASE_URL')) return process.env;
  const names = await readdir(dataRoot).catch(() => []);
  const suffixes = names.flatMap((name) => /^running-site(|-\d+)\.json$/.exec(name)?.[1] ?? []);
  for (const suffix of suffixes.sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))) {
    // One that was killed leaves its file.
    if (!(await isLocked(`site${suffix}`))) continue;
    // The site may have just ended.
    const text = await readFile(join(dataRoot, `running-site${suffix}.json`), 'utf8').catch(() => '{}');
    return { ...(JSON.parse(text) as NodeJS.ProcessEnv), ...process.env };
  }
  return process.env;
}

/** What the console shows once the site is ready. */
export function describeSite(
  env: NodeJS.ProcessEnv,
  places: Readonly<Record<'database' | 'jobs' | 'logs', string>>,
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
    `  Jobs               ${places.jobs}`,
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
