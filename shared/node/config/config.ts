import { createHash } from 'node:crypto';
import type { Site } from '../../site.ts';
import { writePromise } from '../response-promise/response-promise.ts';
import { SiteError } from '../logging/describe-error.ts';
import { isLoopbackHost } from '../network/ip-address.ts';
import { withoutSecrets } from './known-names.ts';
import { readPromiseSettings, type ConfiguredPromise } from './promise-settings.ts';
import { readSettings } from './read-settings.ts';
import { listMissingCrmSettings, makeCrmSettings, type ChatFormat, type Environment, type SettingValues } from './settings.ts';

export class ConfigError extends SiteError {
  override readonly name = 'ConfigError';
  readonly errors: readonly string[];

  constructor(errors: readonly string[]) {
    super(`The settings can't be used:\n${errors.map((error) => `  - ${error}`).join('\n')}`);
    this.errors = errors;
  }
}

export type Config = ReturnType<typeof makeConfig>;

/** For development only: derives a secret from the database's address, so that web and worker share it. */
function deriveDevelopmentSecret(databaseUrl: string): string[] {
  return [createHash('sha256').update(`links ${databaseUrl}`).digest('hex')];
}

/** `web` may lack the secrets that it doesn't use. */
type ProcessKind = 'web' | 'any';

function listMissing(values: SettingValues, kind: ProcessKind): string[] {
  const isProduction = values.NODE_ENV === 'production';
  // Web's SECRETS_DIR has no CRM secrets. The worker reports missing ones.
  const lacksCrmSecrets = kind === 'web' && values.SECRETS_DIR !== undefined;

  return [
    ...(values.DATABASE_URL ? [] : ['DATABASE_URL is required']),
    ...(isProduction && !values.COOKIE_SECRET ? ['COOKIE_SECRET is required in production'] : []),
    ...(lacksCrmSecrets ? [] : listMissingCrmSettings(values)),
  ];
}

const databaseSettings = ['DATABASE_URL', 'DATABASE_ADMIN_URL', 'DATABASE_APP_URL', 'DATABASE_WEB_URL'] as const;

/** Returns an error for each address that shares a user with an earlier one. Each role needs its own privileges. */
function listSharedUsers(values: SettingValues): string[] {
  const users = databaseSettings.map((name) => new URL(values[name] ?? 'none:').username);

  return databaseSettings.flatMap((name, index) => {
    const first = users.findIndex((user) => user !== '' && user === users[index]);

    return first < 0 || first === index ? [] : [`${name} must have a different user from ${databaseSettings[first]}`];
  });
}

function listConflicts(values: SettingValues): string[] {
  const { PORT, METRICS_PORT, BACKUP_REPOSITORY, BACKUP_REPOSITORY_PASSWORD } = values;
  const { DATABASE_ADMIN_URL, DATABASE_APP_URL, DATABASE_WEB_URL, BUSINESS_HOURS, HOLIDAYS_FILE } = values;

  return [
    ...(METRICS_PORT !== undefined && METRICS_PORT === PORT
      ? ['METRICS_PORT must differ from PORT, which is public']
      : []),
    ...((DATABASE_ADMIN_URL || DATABASE_WEB_URL) && !DATABASE_APP_URL
      ? [`DATABASE_APP_URL is required when ${DATABASE_ADMIN_URL ? 'DATABASE_ADMIN_URL' : 'DATABASE_WEB_URL'} is set`]
      : []),
    // The password encrypts the repository.
    ...(BACKUP_REPOSITORY && !BACKUP_REPOSITORY_PASSWORD
      ? ['BACKUP_REPOSITORY_PASSWORD is required when BACKUP_REPOSITORY is set']
      : []),
    ...(HOLIDAYS_FILE && !BUSINESS_HOURS ? ['BUSINESS_HOURS is required when HOLIDAYS_FILE is set'] : []),
    ...listSharedUsers(values),
  ];
}

/** Lists missing sender and recipient addresses, which SMTP in production requires. */
function listMissingAddresses(values: SettingValues, environment: Environment): string[] {
  if (values.NODE_ENV !== 'production' || !environment['SMTP_URL']) return [];

  return ['MAIL_FROM', 'SALES_EMAIL']
    .filter((name) => !environment[name])
    .map((name) => `${name} is required in production when SMTP_URL is set`);
}

/** Lists missing settings that a public site requires. The stack publishes BIND_ADDRESS instead of HOST. */
function listMissingPublicFacts(values: SettingValues, environment: Environment): string[] {
  // An invalid PUBLIC_URL is reported separately.
  const isWrong = environment['PUBLIC_URL'] && values.PUBLIC_URL === undefined;
  if (values.NODE_ENV !== 'production' || isWrong) return [];
  const { PUBLIC_URL, BIND_ADDRESS, HOST } = values;

  if (PUBLIC_URL === undefined) {
    const name = environment['BIND_ADDRESS'] ? 'BIND_ADDRESS' : 'HOST';
    const host = name === 'BIND_ADDRESS' ? BIND_ADDRESS : HOST;

    return host === undefined || isLoopbackHost(host)
      ? []
      : [`PUBLIC_URL is required in production, unless ${name} is a loopback address`];
  }
  const isPublic = !isLoopbackHost(new URL(PUBLIC_URL).hostname);

  return isPublic && !environment['LEGAL_EMAIL']
    ? ['LEGAL_EMAIL is required in production when PUBLIC_URL is not a loopback address']
    : [];
}

const makeChatAddress = (url: string | undefined, format: ChatFormat | undefined) =>
  url === undefined ? undefined : { url, format };

function makeRepositorySettings(values: SettingValues) {
  const { BACKUP_REPOSITORY: repository, BACKUP_REPOSITORY_PASSWORD: password } = values;

  return repository === undefined || password === undefined ? undefined : { ...repository, password };
}

const makeBackupSettings = (values: SettingValues) => ({
  directory: values.BACKUP_DIR,
  /** Number of backups to keep. BACKUP_KEEP is a number of days. */
  keep: values.BACKUP_KEEP * values.BACKUP_AT.length,
  /** Times of day in `timeZone`, such as `03:00`, sorted. */
  at: values.BACKUP_AT,
  repository: makeRepositorySettings(values),
});

/** Database addresses that the migrations use to create the roles. */
const makeRoleSettings = (values: SettingValues) => ({
  adminUrl: values.DATABASE_ADMIN_URL,
  /** For the worker, and also for web if `webUrl` is not set. */
  appUrl: values.DATABASE_APP_URL,
  webUrl: values.DATABASE_WEB_URL,
});

function makeSite(values: SettingValues, followUp: ConfiguredPromise): Site {
  const promise = writePromise(followUp);

  return {
    name: values.SITE_NAME,
    legalEntity: values.LEGAL_ENTITY,
    legalEmail: values.LEGAL_EMAIL,
    publicUrl: values.PUBLIC_URL ?? `http://localhost:${values.PORT}`,
    ...(values.BOOKING_URL === undefined ? {} : { bookingUrl: values.BOOKING_URL }),
    ...(promise && { promise }),
  };
}

function makeConfig(
  values: SettingValues,
  followUp: ConfiguredPromise,
  { PATH = '/usr/bin:/bin', HOME = '/', SSL_CERT_DIR }: Environment,
) {
  const databaseUrl = values.DATABASE_URL ?? '';

  return {
    isProduction: values.NODE_ENV === 'production',
    logLevel: values.LOG_LEVEL,
    web: {
      host: values.HOST,
      port: values.PORT,
      /** Hosts that redirect to PUBLIC_URL. */
      aliases: values.PUBLIC_ALIASES ?? [],
      hstsSubdomains: values.HSTS_SUBDOMAINS,
      trustProxy: values.TRUST_PROXY ?? [],
      contactRate: values.RATE_LIMIT_CONTACT,
      /** If undefined, the insights listing is open to everyone. */
      insightsPassword: values.INSIGHTS_PASSWORD,
    },
    site: makeSite(values, followUp),
    timeZone: values.TIME_ZONE,
    databaseUrl,
    /** Environment for child processes. */
    programEnvironment: { PATH, HOME, ...(SSL_CERT_DIR && { SSL_CERT_DIR }) },
    roles: makeRoleSettings(values),
    redisUrl: values.REDIS_URL,
    linkSecrets: values.COOKIE_SECRET ?? deriveDevelopmentSecret(databaseUrl),
    mail: {
      smtpUrl: values.SMTP_URL,
      directory: values.MAIL_DIR,
      from: values.MAIL_FROM,
      sales: values.SALES_EMAIL,
      assignment: values.SALES_ASSIGNMENT,
      /** Rate limit per kind of mail. Undefined: one per second via SMTP, unlimited for files. */
      rate: values.MAIL_RATE,
      /** Minutes since the start of Monday in `timeZone`. Undefined: no weekly report. */
      reportAt: values.REPORT_AT,
    },
    alerts: {
      email: values.ALERT_EMAIL ?? values.SALES_EMAIL,
      /** If undefined, alerts are only mailed. */
      post: makeChatAddress(values.ALERT_URL, values.ALERT_FORMAT),
      /** Called as long as every check that can stop the heartbeat passes. Undefined: no heartbeat. */
      heartbeatUrl: values.HEARTBEAT_URL,
    },
    /** Where new requests are announced. In the stack, web knows only the URL's origin. */
    chat: makeChatAddress(values.CHAT_URL, values.CHAT_FORMAT),
    followUp: {
      ...followUp,
      acknowledges: values.ACKNOWLEDGE,
      hasChat: values.CHAT_URL !== undefined,
    },
    crm: makeCrmSettings(values),
    /** Folder for exported files. They stay there if the provider changes. */
    crmDirectory: values.CRM_DIR,
    outboundAllow: values.OUTBOUND_ALLOW ?? [],
    privacy: {
      retentionMonths: values.RETENTION_MONTHS,
      /** Outside the database, so that restoring an old backup doesn't lose the record of erasures. */
      erasuresDirectory: values.ERASURES_DIR,
    },
    backup: makeBackupSettings(values),
    /** If the port is undefined, there is no metrics server. */
    metrics: { host: values.METRICS_HOST, port: values.METRICS_PORT },
  };
}

function readConfig(environment: Environment, kind: ProcessKind): Config {
  const errors: string[] = [];
  const values = readSettings(environment, errors);
  const hasErrorAbout = (name: string) =>
    errors.some((error) => [name, `${name}_FILE`].includes(error.split(' ', 1)[0] ?? ''));

  const missingOnes = [
    ...listMissing(values, kind),
    ...listMissingAddresses(values, environment),
    ...listMissingPublicFacts(values, environment),
  ];
  for (const missing of [...missingOnes, ...listConflicts(values)]) {
    if (!hasErrorAbout(missing.split(' ', 1)[0] ?? missing)) errors.push(missing);
  }
  const followUp = readPromiseSettings(values, errors);
  if (errors.length > 0 || !followUp) throw new ConfigError(errors);

  return makeConfig(values, followUp, environment);
}

/** Reads the settings for the worker, the migrations and the operator's tool. @throws ConfigError with all errors */
export const loadConfig = (environment: Environment = withoutSecrets()): Config =>
  readConfig(environment, 'any');

/** Reads web's settings. If SECRETS_DIR is set, secrets that web doesn't use may be missing. @throws ConfigError */
export const loadWebConfig = (environment: Environment = withoutSecrets()): Config =>
  readConfig(environment, 'web');

/** Returns the errors that `loadConfig` would throw. */
export function listConfigErrors(environment: Environment): readonly string[] {
  try {
    loadConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.errors;
    throw error;
  }

  return [];
}
