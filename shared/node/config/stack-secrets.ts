import { createHash, createHmac } from 'node:crypto';
import { ConfigError, listConfigErrors } from './config.ts';
import { listUnknown } from './known-names.ts';
import { listProxyErrors } from './proxy-settings.ts';
import { operatorSecretNames, readSecrets, webSecretNames } from './read-settings.ts';
import type { Environment } from './settings.ts';

/** Roles in the stack's PostgreSQL. The superuser `admin` was created when PostgreSQL first started. */
const roles = {
  admin: 'website',
  migrate: 'website_migrate',
  app: 'website_app',
  web: 'website_web',
} as const;

const REDIS_USER = 'website';

/** Contents of secret files by name, for each group of containers. */
interface StackSecrets {
  /** Secrets for web. */
  readonly web: ReadonlyMap<string, string>;
  /** Secrets for the worker, and Redis's ACL file. */
  readonly site: ReadonlyMap<string, string>;
  /** Secrets for the migrations, the operator's tool, the backups and PostgreSQL. */
  readonly operator: ReadonlyMap<string, string>;
}

/** Derives a user's password within the stack. The derivation is one-way, so one password doesn't reveal another. */
const derivePassword = (postgresPassword: string, user: string): string =>
  createHmac('sha256', postgresPassword).update(`stack ${user}`).digest('hex');

function makeDatabaseUrl(role: string, password: string): string {
  return `postgres://${role}:${encodeURIComponent(password)}@postgres:5432/website`;
}

/**
 * Writes Redis's ACL file. The site's user can use its own keys, but can't browse, empty or reconfigure the server.
 * Redis loads its append-only file as `default`, which needs all rights for that. No container gets that password.
 * Source: https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/
 */
export function writeRedisUsers(passwords: { readonly default: string; readonly site: string }): string {
  const hash = (password: string) => createHash('sha256').update(password).digest('hex');

  return [
    `user default on #${hash(passwords.default)} ~* &* +@all`,
    'user health on nopass resetkeys resetchannels -@all +ping',
    `user ${REDIS_USER} on #${hash(passwords.site)} ~bull:* ~limit:* &bull:* +@all -@admin -@dangerous +info`,
    '',
  ].join('\n');
}

/** Returns the origin of CHAT_URL, whose path is secret. Web only needs to know that there is a chat. */
const getChatOrigin = (secrets: ReadonlyMap<string, string>): ReadonlyArray<[string, string]> => {
  const url = secrets.get('CHAT_URL');

  return url === undefined ? [] : [['CHAT_URL', new URL(url).origin]];
};

/** Settings that contain server addresses. */
const serverNames: readonly string[] = [
  'DATABASE_URL',
  'DATABASE_ADMIN_URL',
  'DATABASE_APP_URL',
  'DATABASE_WEB_URL',
  'REDIS_URL',
].flatMap((name) => [name, `${name}_FILE`]);

/** Who provides the PostgreSQL and Redis that the stack uses. */
type ServerOwner = 'stack' | 'operator';

/**
 * Lists settings that have no effect. Either the stack's own addresses replace them, or they name a file that no container
 * has.
 */
export const listUnused = (environment: Environment = process.env, owner: ServerOwner = 'stack'): readonly string[] =>
  serverNames.filter((name) => environment[name] && (owner === 'stack' || name.endsWith('_FILE')));

interface Servers {
  /** Database address for each role. Undefined if missing. */
  readonly databases: Readonly<Record<keyof typeof roles, string | undefined>>;
  readonly redis: string | undefined;
  /** ACL file for the stack's Redis. */
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

/** Reads the addresses of the operator's own servers. DATABASE_APP_URL is the worker's role. */
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
      .map((name) => `${name} is required if you use your own servers; see docs/operations/scale-out.md`),
  };
}

const listGiven = (values: Readonly<Record<string, string | undefined>>): ReadonlyArray<[string, string]> =>
  Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));

/** Returns the secret files for each group of containers in the stack. @throws ConfigError with all errors */
export function makeStackSecrets(environment: Environment = process.env, owner: ServerOwner = 'stack'): StackSecrets {
  const { databases, redis, redisUsers, errors: serverErrors } =
    owner === 'stack' ? deriveServers(environment) : readServers(environment);
  const given = Object.entries(environment).filter(([name]) => !serverNames.includes(name));
  const site = { ...Object.fromEntries(given), DATABASE_URL: databases.app, REDIS_URL: redis };
  const ofMigrations = {
    DATABASE_URL: databases.migrate,
    DATABASE_APP_URL: databases.app,
    DATABASE_WEB_URL: databases.web,
    DATABASE_ADMIN_URL: databases.admin,
  };
  const errors = [
    ...serverErrors,
    // If an address is missing, these errors would repeat `serverErrors` under another setting's name.
    ...(databases.app ? listConfigErrors({ ...site, ...ofMigrations }) : []),
    ...listUnknown(environment),
    ...listProxyErrors(environment),
  ];
  if (errors.length > 0) throw new ConfigError(errors);
  // `listConfigErrors` has reported unreadable secrets.
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
