import { createHash, createHmac } from 'node:crypto';
import { ConfigError, loadConfig } from './config.ts';
import { listSharedUsers } from './database-users.ts';
import { listUnknown } from './known-names.ts';
import { listProxyErrors } from './proxy-settings.ts';
import { operatorSecretNames, readSecrets, webSecretNames } from './read-settings.ts';
import type { Environment } from './settings.ts';

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

/** A user's password within the stack, derived one-way so that nobody can compute another's. */
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
 * Redis's users: the site's may touch its keys and neither browse, empty nor reconfigure the server. `default` needs
 * every right for Redis's own file, and nobody has its password.
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

/** Web learns CHAT_URL's origin only, so that requests are announced; what is secret is its path. */
const getChatOrigin = (secrets: ReadonlyMap<string, string>): ReadonlyArray<[string, string]> => {
  const url = secrets.get('CHAT_URL');

  return url === undefined ? [] : [['CHAT_URL', new URL(url).origin]];
};

/** URLs within the stack, which are derived here. */
const derivedNames: readonly string[] = [
  'DATABASE_URL',
  'DATABASE_ADMIN_URL',
  'DATABASE_APP_URL',
  'DATABASE_WEB_URL',
  'REDIS_URL',
].flatMap((name) => [name, `${name}_FILE`]);

/** Whose PostgreSQL and Redis the stack uses. */
type ServerOwner = 'stack' | 'operator';

/** Names of settings that have no effect: the stack's own URLs replace them, or they would name files in no container. */
export const listUnused = (environment: Environment = process.env, owner: ServerOwner = 'stack'): readonly string[] =>
  derivedNames.filter((name) => environment[name] && (owner === 'stack' || name.endsWith('_FILE')));

interface Servers {
  /** As each role reaches the database; undefined where it is missing. */
  readonly databases: Readonly<Record<keyof typeof roles, string | undefined>>;
  readonly redis: string | undefined;
  /** The file that Redis itself reads, where it is the stack's. */
  readonly redisUsers: ReadonlyArray<[string, string]>;
  readonly errors: readonly string[];
}

function deriveServers({ POSTGRES_PASSWORD: postgresPassword = '' }: Environment): Servers {
  const derive = (role: string) =>
    makeDatabaseUrl(role, derivePassword(postgresPassword, `postgres ${role}`));
  const redisPasswords = {
    default: derivePassword(postgresPassword, 'redis default'),
    site: derivePassword(postgresPassword, `redis ${REDIS_USER}`),
  };

  return {
    databases: {
      admin: makeDatabaseUrl(roles.admin, postgresPassword),
      migrate: derive(roles.migrate),
      app: derive(roles.app),
      web: derive(roles.web),
    },
    redis: `redis://${REDIS_USER}:${redisPasswords.site}@redis:6379`,
    redisUsers: [['redis.acl', writeRedisUsers(redisPasswords)]],
    errors: postgresPassword ? [] : ['POSTGRES_PASSWORD is required'],
  };
}

/** As the migrations are given them elsewhere: the worker's role is DATABASE_APP_URL. */
function readServers(environment: Environment): Servers {
  const required = ['DATABASE_URL', 'DATABASE_APP_URL', 'DATABASE_WEB_URL'] as const;

  return {
    databases: {
      admin: environment['DATABASE_ADMIN_URL'] || undefined,
      migrate: environment['DATABASE_URL'],
      app: environment['DATABASE_APP_URL'],
      web: environment['DATABASE_WEB_URL'],
    },
    redis: environment['REDIS_URL'] || undefined,
    redisUsers: [],
    errors: required
      .filter((name) => !environment[name])
      .map((name) => `${name} is required with servers of your own, see docs/operations/scale-out.md`),
  };
}

function listErrors(environment: Environment): readonly string[] {
  try {
    loadConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.errors;
    throw error;
  }

  return [];
}

const listGiven = (values: Readonly<Record<string, string | undefined>>): ReadonlyArray<[string, string]> =>
  Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));

/** The secret files of each group of the stack's containers; throws ConfigError with every error at once. */
export function makeStackSecrets(environment: Environment = process.env, owner: ServerOwner = 'stack'): StackSecrets {
  const { databases, redis, redisUsers, errors: serverErrors } =
    owner === 'stack' ? deriveServers(environment) : readServers(environment);
  const given = Object.entries(environment).filter(([name]) => !derivedNames.includes(name));
  const site = { ...Object.fromEntries(given), DATABASE_URL: databases.app, REDIS_URL: redis };
  const ofMigrations = {
    DATABASE_URL: databases.migrate,
    DATABASE_APP_URL: databases.app,
    DATABASE_WEB_URL: databases.web,
    DATABASE_ADMIN_URL: databases.admin,
  };
  const errors = [
    ...serverErrors,
    ...listSharedUsers(ofMigrations),
    // Without an address the settings would be said to lack it by its other name.
    ...(databases.app === undefined || databases.app === '' ? [] : listErrors({ ...site, ...ofMigrations })),
    ...listUnknown(environment),
    ...listProxyErrors(environment),
  ];
  if (errors.length > 0) throw new ConfigError(errors);
  // Errors in reading them are among those above.
  const secrets = readSecrets(site, []);

  return {
    web: new Map([
      ...[...secrets].filter(([name]) => webSecretNames.has(name)),
      ...getChatOrigin(secrets),
      ...listGiven({ DATABASE_URL: databases.web }),
    ]),
    site: new Map([...[...secrets].filter(([name]) => !operatorSecretNames.has(name)), ...redisUsers]),
    operator: new Map([
      ...secrets,
      ...listGiven({ ...ofMigrations, POSTGRES_PASSWORD: environment['POSTGRES_PASSWORD'] }),
    ]),
  };
}
