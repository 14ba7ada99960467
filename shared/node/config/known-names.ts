import { findNearest } from '../../text-difference.ts';
import type { Logger } from '../logging/logger.ts';
import { settingPrefixes, settings, type Environment } from './settings.ts';

const ARCHIVE =
  'write-ahead log archiving was removed; set several times of day in BACKUP_AT, or use pgBackRest with your own PostgreSQL server';

/** Removed settings, each with the reason. If a `.env` still has one, a warning is logged. */
const removedSettings: ReadonlyMap<string, string> = new Map([
  ['DIGEST_AT', 'the daily digest was removed; reminders and the weekly report (REPORT_AT) replace it'],
  ['IMAGE_PREFIX', 'each release’s compose file already names its images'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'tracing was removed; log lines contain ids that link a request to its deliveries'],
  ['ARCHIVE_DIR', ARCHIVE],
  ['DATABASE_ARCHIVE_URL', ARCHIVE],
]);

/** Variables in `.env` that only the Compose files read. A test compares this list with those files. */
export const composeSettings = [
  'POSTGRES_PASSWORD',
  'TLS',
  'FILES_DIR',
  'HTTP_PORT',
  'HTTPS_PORT',
  'VOLUME_PREFIX',
  'CONTENT_DIR',
  'PREVIEW_PORT',
  'ENV_FILE',
] as const;

/** Variables that Compose itself reads. Source: https://docs.docker.com/compose/how-tos/environment-variables/envvars/ */
const dockerComposeVariables = [
  'COMPOSE_ANSI',
  'COMPOSE_API_VERSION',
  'COMPOSE_BAKE',
  'COMPOSE_COMPATIBILITY',
  'COMPOSE_CONVERT_WINDOWS_PATHS',
  'COMPOSE_DISABLE_ENV_FILE',
  'COMPOSE_DOCKER_CLI_BUILD',
  'COMPOSE_ENV_FILES',
  'COMPOSE_EXPERIMENTAL',
  'COMPOSE_FILE',
  'COMPOSE_FORCE_WINDOWS_HOST',
  'COMPOSE_HTTP_TIMEOUT',
  'COMPOSE_IGNORE_ORPHANS',
  'COMPOSE_INTERACTIVE_NO_CLI',
  'COMPOSE_MENU',
  'COMPOSE_PARALLEL_LIMIT',
  'COMPOSE_PATH_SEPARATOR',
  'COMPOSE_PROFILES',
  'COMPOSE_PROGRESS',
  'COMPOSE_PROJECT_NAME',
  'COMPOSE_REMOVE_ORPHANS',
  'COMPOSE_STATUS_STDOUT',
  'COMPOSE_TLS_VERSION',
  'BUILDKIT_PROGRESS',
  'DOCKER_BUILDKIT',
  'DOCKER_CERT_PATH',
  'DOCKER_CONFIG',
  'DOCKER_CONTEXT',
  'DOCKER_DEFAULT_PLATFORM',
  'DOCKER_HOST',
  'DOCKER_TLS_VERIFY',
] as const;

const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'FTP_PROXY', 'ALL_PROXY', 'NO_PROXY'];

/** Variables set by the image (checked by a test), the container engine, or the engine's client. */
export const containerVariables: readonly string[] = [
  'PATH',
  'HOME',
  'HOSTNAME',
  'TERM',
  'container',
  'MALLOC_ARENA_MAX',
  'SSL_CERT_DIR',
  'NODE_USE_SYSTEM_CA',
  // A base image may set these.
  'NODE_EXTRA_CA_CERTS',
  'NODE_OPTIONS',
  'NODE_COMPILE_CACHE',
  ...proxies,
  ...proxies.map((name) => name.toLowerCase()),
];

/** Returns whether Coolify sets a variable in every container. Source: https://coolify.io/docs/knowledge-base/docker/compose */
const isOfCoolify = (name: string) => name.startsWith('COOLIFY_') || name.startsWith('SERVICE_');

const secretNames: readonly string[] = Object.entries(settings).flatMap(([name, setting]) =>
  'isSecret' in setting ? [name, `${name}_FILE`] : [],
);

const siteSettingNames: readonly string[] = [...Object.keys(settings), ...secretNames];

const envFileNames: readonly string[] = [...siteSettingNames, ...composeSettings, ...dockerComposeVariables];

const knownNames: ReadonlySet<string> = new Set([...envFileNames, ...containerVariables]);

const findRemovalReason = (name: string) => removedSettings.get(name.replace(/_FILE$/, ''));

const isKnown = (name: string) => knownNames.has(name) || findRemovalReason(name) !== undefined;

const hasSettingPrefix = (name: string) => settingPrefixes.some((prefix) => name.startsWith(prefix));

/** Longer names are not compared, because they are unlikely to be typos and comparing is slow. */
const MAX_LENGTH = 100;

/** A name is not suggested if a larger share of its characters differs. */
const MAX_DIFFERENCE = 0.5;

function describeUnknown(name: string, candidates: readonly string[]): string {
  const nearest = name.length > MAX_LENGTH ? undefined : findNearest(name.toUpperCase(), candidates, MAX_DIFFERENCE);

  return `${name} is not a setting; ${nearest === undefined ? 'check its spelling' : `did you mean ${nearest}?`}`;
}

/** Returns a sentence for each name that has one of our prefixes but is not a setting. */
export const listMisspelled = (names: readonly string[]): readonly string[] =>
  names.filter((name) => hasSettingPrefix(name) && !isKnown(name)).map((name) => describeUnknown(name, siteSettingNames));

/** Returns a sentence for each name that lacks our prefixes and is unknown to the site, the proxy and Compose. */
export const listUnknown = (environment: Environment = process.env): readonly string[] =>
  Object.keys(environment)
    .filter((name) => !hasSettingPrefix(name) && !isKnown(name) && !isOfCoolify(name))
    .map((name) => describeUnknown(name, envFileNames));

/** Returns a sentence for each removed setting in the environment, without its value. */
export const listRemoved = (environment: Environment = process.env): readonly string[] =>
  Object.keys(environment).flatMap((name) => {
    const reason = findRemovalReason(name);

    return reason === undefined ? [] : [`${name} is no longer a setting and is ignored: ${reason}.`];
  });

/** Returns whether the environment contains all of `.env`, as docker-compose.yml provides it to the operator's tool. */
export const hasSettingsFile = ({ ENV_FILE, SECRETS_DIR }: Environment = process.env): boolean =>
  Boolean(ENV_FILE && SECRETS_DIR);

/** Removes the secrets from an environment that contains all of `.env`. The stack provides them as files. */
export const withoutSecrets = (environment: Environment = process.env): Environment =>
  hasSettingsFile(environment)
    ? Object.fromEntries(Object.entries(environment).filter(([name]) => !secretNames.includes(name)))
    : environment;

/** Logs a warning for each removed setting. */
export function warnOfRemovedSettings(logger: Logger, environment: Environment = process.env): void {
  for (const sentence of listRemoved(environment)) logger.warn(sentence);
}
