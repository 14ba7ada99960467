import { createHash, createHmac } from 'node:crypto';
import { ConfigError, loadConfig } from './config.ts';
import { readSecrets, webSecretNames, type Environment } from './read-settings.ts';

/** Roles of the stack's PostgreSQL; the superuser is the one its first start created. */
const roles = {
  admin: 'website',
  migrate: 'website_migrate',
  app: 'website_app',
  web: 'website_web',
} as const;

const REDIS_USER = 'website';

/** Files by name, as two groups of containers get them. */
interface StackSecrets {
  /** For web, which gets only what it uses. */
  readonly web: ReadonlyMap<string, string>;
  /** For the worker, and Redis's list of users. */
  readonly site: ReadonlyMap<string, string>;
  /** For migrations, operator's tool, backups and PostgreSQL. */
  readonly operator: ReadonlyMap<string, string>;
}

/**
 * The password of a user within the stack: derived one-way from POSTGRES_PASSWORD, so that whoever reads
 * the application's has neither the superuser's nor another's.
 */
const derivePassword = (postgresPassword: string, user: string): string =>
  createHmac('sha256', postgresPassword).update(`stack ${user}`).digest('hex');

function makeDatabaseUrl(role: string, password: string): string {
  return `postgres://${role}:${encodeURIComponent(password)}@postgres:5432/website`;
}

interface RedisPasswords {
  readonly default: string;
  readonly site: string;
}

/**
 * Redis's users: the site's may touch the keys of jobs and limits, and nothing that looks through,
 * empties or reconfigures the server; `health` may ask whether it is alive. Redis reads its own
 * append-only file as `default`, which therefore needs every right, with a password that nobody is given.
 * Source: https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/
 */
export function writeRedisUsers(passwords: RedisPasswords): string {
  const hash = (password: string) => createHash('sha256').update(password).digest('hex');

  return [
    `user default on #${hash(passwords.default)} ~* &* +@all`,
    'user health on nopass resetkeys resetchannels -@all +ping',
    `user ${REDIS_USER} on #${hash(passwords.site)} ~bull:* ~limit:* &bull:* +@all -@admin -@dangerous +info`,
    '',
  ].join('\n');
}

/** URLs within the stack, which are derived here. */
const derivedNames: readonly string[] = [
  'DATABASE_URL',
  'DATABASE_ADMIN_URL',
  'DATABASE_APP_URL',
  'DATABASE_WEB_URL',
  'REDIS_URL',
].flatMap((name) => [name, `${name}_FILE`]);

/** Names of settings that have no effect: the stack's own URLs replace them. */
export const listUnused = (environment: Environment = process.env): readonly string[] =>
  derivedNames.filter((name) => environment[name]);

function listErrors(environment: Environment): readonly string[] {
  try {
    loadConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.errors;
    throw error;
  }

  return [];
}

/**
 * The files that each group of the stack's containers is given: the secrets among the settings, and
 * the passwords within the stack, which are derived from POSTGRES_PASSWORD.
 * @throws ConfigError naming every error of the settings at once
 */
export function makeStackSecrets(environment: Environment = process.env): StackSecrets {
  const { POSTGRES_PASSWORD: postgresPassword = '' } = environment;
  const redisPasswords = {
    default: derivePassword(postgresPassword, 'redis default'),
    site: derivePassword(postgresPassword, `redis ${REDIS_USER}`),
  };
  const [migrate, app, web] = [roles.migrate, roles.app, roles.web].map((role) =>
    makeDatabaseUrl(role, derivePassword(postgresPassword, `postgres ${role}`)),
  );
  const given = Object.entries(environment).filter(([name]) => !derivedNames.includes(name));
  const site = {
    ...Object.fromEntries(given),
    DATABASE_URL: app,
    REDIS_URL: `redis://${REDIS_USER}:${redisPasswords.site}@redis:6379`,
  };
  const errors = [
    ...(postgresPassword ? [] : ['POSTGRES_PASSWORD is required']),
    ...listErrors(site),
  ];
  if (errors.length > 0) throw new ConfigError(errors);
  // Faults in reading them are among those above.
  const secrets = readSecrets(site, []);

  return {
    web: new Map([
      ...[...secrets].filter(([name]) => webSecretNames.has(name)),
      ['DATABASE_URL', web ?? ''],
    ]),
    site: new Map([...secrets, ['redis.acl', writeRedisUsers(redisPasswords)]]),
    operator: new Map([
      ...secrets,
      ['DATABASE_URL', migrate ?? ''],
      ['DATABASE_APP_URL', app ?? ''],
      ['DATABASE_WEB_URL', web ?? ''],
      ['DATABASE_ADMIN_URL', makeDatabaseUrl(roles.admin, postgresPassword)],
      ['POSTGRES_PASSWORD', postgresPassword],
    ]),
  };
}
