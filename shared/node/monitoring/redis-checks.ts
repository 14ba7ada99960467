import { getErrorCode } from '../logging/describe-error.ts';
import { inspectRedis, type RedisState } from '../redis/inspect-redis.ts';
import { defineCheck, fail, pass, type Site, type SiteCheck } from './check.ts';

/** Returns an error reply's code, which is the first word, such as NOAUTH, WRONGPASS or LOADING. */
function readCode(error: unknown): string {
  const [, word] = (error instanceof Error && /^([A-Z]{3,})\b/.exec(error.message)) || [];

  return getErrorCode(error) ?? word ?? 'no response';
}

function describeOutage(error: unknown, url: string): string {
  const { hostname, port } = new URL(url);
  const code = readCode(error);
  const reason = ['NOAUTH', 'WRONGPASS', 'NOPERM'].includes(code)
    ? 'refuses the login: check the user and password in REDIS_URL; in the stack recreate `redis`, which reads its password at startup'
    : `can't be reached at ${hostname}:${port || 6379}: is it running?`;

  return `Redis ${reason} (${code}).`;
}

type RedisFound = undefined | { readonly state: RedisState } | { readonly outage: string };

async function readRedis({ config: { redisUrl: url } }: Site): Promise<RedisFound> {
  if (url === undefined) return undefined;

  return inspectRedis(url).then(
    (state) => ({ state }),
    (error: unknown) => ({ outage: describeOutage(error, url) }),
  );
}

export const redisChecks: readonly SiteCheck[] = [
  defineCheck({
    name: 'redis',
    read: readRedis,
    assess: (found) => {
      if (!found) return pass('Not used: jobs run on PostgreSQL.');
      if ('outage' in found) return fail(found.outage);
      const { version, isReplica, isPersisting } = found.state;
      if (isReplica) return fail('Redis is a replica and accepts no jobs: REDIS_URL must name the primary.');

      return isPersisting
        ? pass(`Redis ${version} responds.`)
        : fail('Redis failed to write to its disk: is it full?');
    },
    advice: 'Until then the worker sends due deliveries without it.',
  }),
  defineCheck({
    name: 'redis settings',
    read: readRedis,
    // The check above reports outages.
    assess: (found) => {
      if (!found || 'outage' in found) return [];
      const { evictionPolicy, isAppendOnly } = found.state;
      const append = isAppendOnly ? pass('The append-only file (AOF) is on.') : fail('The append-only file (AOF) is off.');
      const policy = `maxmemory-policy is ${evictionPolicy}.`;

      return [
        { check: 'redis policy', ...(evictionPolicy === 'noeviction' ? pass(policy) : fail(policy)) },
        { check: 'redis aof', ...append },
      ];
    },
    alert: 'redis-loses-jobs',
  }),
];
