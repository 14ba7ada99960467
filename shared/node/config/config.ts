import { createHash } from 'node:crypto';
import type { Site } from '../../site.ts';
import { SiteError } from '../logging/describe-error.ts';
import { isLoopbackHost } from '../network/ip-address.ts';
import { listMissingCrmSettings, makeCrmSettings } from './crm-settings.ts';
import { readSettings, type Environment, type SettingValues } from './read-settings.ts';

/** Thrown when the environment can't be used; the message lists all errors. */
export class ConfigError extends SiteError {
  override readonly name = 'ConfigError';
  readonly errors: readonly string[];

  constructor(errors: readonly string[]) {
    super(`The settings can't be used:\n${errors.map((error) => `  - ${error}`).join('\n')}`);
    this.errors = errors;
  }
}

export type Config = ReturnType<typeof makeConfig>;

/** Outside production, web and worker agree on a secret that only those with the database know. */
function deriveDevelopmentSecret(databaseUrl: string): string[] {
  return [createHash('sha256').update(`links ${databaseUrl}`).digest('hex')];
}

/** Web may be given its own secrets alone; all others are given everything. */
type ProcessKind = 'web' | 'any';

function listMissing(values: SettingValues, kind: ProcessKind): string[] {
  const isProduction = values.NODE_ENV === 'production';
  // Where SECRETS_DIR hands each process its own, the worker's start refuses what is missing there.
  const hasOwnSecrets = kind === 'web' && values.SECRETS_DIR !== undefined;

  return [
    ...(values.DATABASE_URL ? [] : ['DATABASE_URL is required']),
    ...(isProduction && !values.COOKIE_SECRET ? ['COOKIE_SECRET is required in production'] : []),
    ...(hasOwnSecrets ? [] : listMissingCrmSettings(values)),
  ];
}

/** Settings that are valid one by one and not together. */
function listConflicts(values: SettingValues): string[] {
  const { PORT, METRICS_PORT } = values;
  const { DATABASE_ADMIN_URL, DATABASE_APP_URL, DATABASE_WEB_URL } = values;

  return [
    ...(METRICS_PORT !== undefined && METRICS_PORT === PORT
      ? ['METRICS_PORT must differ from PORT, which is public']
      : []),
    ...((DATABASE_ADMIN_URL || DATABASE_WEB_URL) && !DATABASE_APP_URL
      ? [`DATABASE_APP_URL is required when ${DATABASE_ADMIN_URL ? 'DATABASE_ADMIN_URL' : 'DATABASE_WEB_URL'} is set`]
      : []),
  ];
}

/** With SMTP in production, sender and recipients must be set. */
function listMissingAddresses(values: SettingValues, environment: Environment): string[] {
  if (values.NODE_ENV !== 'production' || !values.SMTP_URL) return [];

  return ['MAIL_FROM', 'SALES_EMAIL']
    .filter((name) => !environment[name])
    .map((name) => `${name} is required in production when SMTP_URL is set`);
}

/**
 * Settings that a site reachable from other machines requires. Without PUBLIC_URL it serves loopback hosts
 * alone, so it may be missing where nobody else can connect; the stack publishes the
 * site at BIND_ADDRESS, whatever HOST is within its container.
 */
function listMissingPublicFacts(values: SettingValues, environment: Environment): string[] {
  if (values.NODE_ENV !== 'production') return [];
  const { PUBLIC_URL, BIND_ADDRESS, HOST } = values;

  if (PUBLIC_URL === undefined) {
    return isLoopbackHost(BIND_ADDRESS ?? HOST)
      ? []
      : ['PUBLIC_URL is required in production, unless HOST is an address of this machine only'];
  }
  const isPublic = !isLoopbackHost(new URL(PUBLIC_URL).hostname);

  return isPublic && !environment['LEGAL_EMAIL']
    ? ['LEGAL_EMAIL is required in production when PUBLIC_URL leads others to the site']
    : [];
}

function makeConfig(values: SettingValues) {
  const databaseUrl = values.DATABASE_URL ?? '';

  return {
    isProduction: values.NODE_ENV === 'production',
    logLevel: values.LOG_LEVEL,
    web: {
      host: values.HOST,
      port: values.PORT,
      hstsSubdomains: values.HSTS_SUBDOMAINS,
      trustProxy: values.TRUST_PROXY ?? [],
      contactRate: values.RATE_LIMIT_CONTACT,
      /** Undefined: the insights listing is open to everyone. */
      insightsPassword: values.INSIGHTS_PASSWORD,
    },
    site: {
      name: values.SITE_NAME,
      legalEntity: values.LEGAL_ENTITY,
      legalEmail: values.LEGAL_EMAIL,
      publicUrl: values.PUBLIC_URL ?? `http://localhost:${values.PORT}`,
    } satisfies Site,
    databaseUrl,
    /** For the migrations, which create the database roles where these are set. */
    roles: {
      /** As a superuser, which creates the roles. */
      adminUrl: values.DATABASE_ADMIN_URL,
      /** As the role that the worker uses, and web where it has none of its own. */
      appUrl: values.DATABASE_APP_URL,
      /** As the role that web uses. */
      webUrl: values.DATABASE_WEB_URL,
    },
    redisUrl: values.REDIS_URL,
    linkSecrets: values.COOKIE_SECRET ?? deriveDevelopmentSecret(databaseUrl),
    mail: {
      smtpUrl: values.SMTP_URL,
      directory: values.MAIL_DIR,
      from: values.MAIL_FROM,
      sales: values.SALES_EMAIL,
      /** Most mails of one kind within a time; undefined: one a second by SMTP, any number as files. */
      rate: values.MAIL_RATE,
      timeZone: values.TIME_ZONE,
      /** Minutes after midnight in `timeZone`; undefined: no digest. */
      digestAt: values.DIGEST_AT,
    },
    /** Where alerts are sent. */
    alerts: {
      email: values.ALERT_EMAIL ?? values.SALES_EMAIL,
      /** Undefined: alerts are mailed only. */
      url: values.ALERT_URL,
      /** Undefined: the host of `url` decides. */
      format: values.ALERT_FORMAT,
    },
    followUp: {
      /** Milliseconds from receiving a request to each mail. */
      reminderAfter: values.FOLLOW_UP_REMINDER_AFTER,
      dueAfter: values.FOLLOW_UP_AFTER,
    },
    crm: makeCrmSettings(values),
    /** Hosts, host:port or CIDR ranges that outbound calls may reach although private or http. */
    outboundAllow: values.OUTBOUND_ALLOW ?? [],
    privacy: {
      retentionMonths: values.RETENTION_MONTHS,
      /** Outside the database, so that restoring an old one doesn't lose the record of erasures. */
      erasuresDirectory: values.ERASURES_DIR,
    },
    backup: {
      directory: values.BACKUP_DIR,
      /** Number of backups. */
      keep: values.BACKUP_KEEP,
      /** Minutes after midnight in `timeZone`. */
      at: values.BACKUP_AT,
      timeZone: values.TIME_ZONE,
    },
    /** Undefined port: no metrics server. */
    metrics: { host: values.METRICS_HOST, port: values.METRICS_PORT },
  };
}

function readConfig(environment: Environment, kind: ProcessKind): Config {
  const errors: string[] = [];
  const values = readSettings(environment, errors);
  const hasErrorAbout = (name: string) => errors.some((error) => error.startsWith(name));

  const missingOnes = [
    ...listMissing(values, kind),
    ...listMissingAddresses(values, environment),
    ...listMissingPublicFacts(values, environment),
  ];
  for (const missing of [...missingOnes, ...listConflicts(values)]) {
    if (!hasErrorAbout(missing.split(' ', 1)[0] ?? missing)) errors.push(missing);
  }
  if (errors.length > 0) throw new ConfigError(errors);

  return makeConfig(values);
}

/**
 * Reads the settings of worker, migrations and operator's tool, once per process.
 * @throws ConfigError naming every error at once
 */
export const loadConfig = (environment: Environment = process.env): Config =>
  readConfig(environment, 'any');

/**
 * Reads the settings of web, where secrets it doesn't use may be missing when SECRETS_DIR has its own.
 * @throws ConfigError naming every error at once
 */
export const loadWebConfig = (environment: Environment = process.env): Config =>
  readConfig(environment, 'web');

/** The environment of a child process: where programs and its user's files are. */
export function readProgramEnvironment(): { readonly PATH: string; readonly HOME: string } {
  const { PATH = '/usr/bin:/bin', HOME = '/' } = process.env;

  return { PATH, HOME };
}
