import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import { fail, pass, type Check, type CheckOutcome, type CheckResult } from '../../shared/node/monitoring/check.ts';
import { inspectRedis, type RedisState } from '../../shared/node/redis/inspect-redis.ts';

/** The first word of an error reply is its code: NOAUTH, WRONGPASS, LOADING. */
function readCode(error: unknown): string {
  const [, word] = (error instanceof Error && /^([A-Z]{3,})\b/.exec(error.message)) || [];

  return getErrorCode(error) ?? word ?? 'no response';
}

function describeOutage(error: unknown, url: string): string {
  const { hostname, port } = new URL(url);
  const code = readCode(error);
  const reason = ['NOAUTH', 'WRONGPASS', 'NOPERM'].includes(code)
    ? 'refuses the login: check user and password in REDIS_URL; in the stack recreate `redis`, which then has the password of now'
    : `can't be reached at ${hostname}:${port || 6379}: is it running?`;

  return `Redis ${reason} (${code}). Until then the worker sends due deliveries without it.`;
}

function assessPersistence(isAppendOnly: boolean, isPersisting: boolean): CheckOutcome {
  if (!isAppendOnly) {
    return fail(
      'The append-only file (AOF) is off: a restart loses all jobs until the worker recreates them. Set appendonly yes.',
    );
  }

  return isPersisting
    ? pass('The append-only file (AOF) is on.')
    : fail('Redis failed to write to its disk: is it full?');
}

function assess(state: RedisState): readonly CheckResult[] {
  const { version, evictionPolicy, isAppendOnly, isReplica, isPersisting } = state;

  const server = isReplica
    ? fail('Redis is a replica and accepts no jobs: REDIS_URL must name the primary.')
    : pass(`Redis ${version} responds.`);
  const policy =
    evictionPolicy === 'noeviction'
      ? pass('maxmemory-policy is noeviction.')
      : fail(`maxmemory-policy is ${evictionPolicy}, which evicts jobs: set it to noeviction.`);

  return [
    { check: 'redis', ...server },
    { check: 'redis policy', ...policy },
    { check: 'redis aof', ...assessPersistence(isAppendOnly, isPersisting) },
  ];
}

/** Checks that Redis responds and keeps jobs. */
export const checkRedis = (url: string | undefined): Check => ({
  name: 'redis',
  run: async () => {
    if (url === undefined) return pass('Not used: jobs run on PostgreSQL.');

    try {
      return assess(await inspectRedis(url));
    } catch (error) {
      return fail(describeOutage(error, url));
    }
  },
});
