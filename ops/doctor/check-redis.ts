import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import { inspectRedis, type RedisState } from '../../shared/node/redis/inspect-redis.ts';
import type { Check, Finding } from './check.ts';

/** The first word of what Redis answers is its code: NOAUTH, WRONGPASS, LOADING. */
function readCode(error: unknown): string {
  const [, word] = (error instanceof Error && /^([A-Z]{3,})\b/.exec(error.message)) || [];

  return getErrorCode(error) ?? word ?? 'no answer';
}

function describeAbsence(error: unknown, url: string): string {
  const { hostname, port } = new URL(url);
  const code = readCode(error);
  const reason = ['NOAUTH', 'WRONGPASS', 'NOPERM'].includes(code)
    ? 'refuses the login: check user and password in REDIS_URL'
    : `can't be reached at ${hostname}:${port || 6379}: is it running?`;

  return `Redis ${reason} (${code}). Until then the worker does what is due without it.`;
}

function judge(state: RedisState): readonly Finding[] {
  const { version, evictionPolicy, isAppendOnly, isReplica, isPersisting } = state;

  return [
    isReplica
      ? { check: 'redis', status: 'fail', detail: 'Redis is a replica and takes no jobs: REDIS_URL must name the primary.' }
      : { check: 'redis', status: 'ok', detail: `Redis ${version} answers.` },
    evictionPolicy === 'noeviction'
      ? { check: 'redis policy', status: 'ok', detail: 'maxmemory-policy is noeviction.' }
      : {
          check: 'redis policy',
          status: 'fail',
          detail: `maxmemory-policy is ${evictionPolicy}, which drops jobs: set it to noeviction.`,
        },
    isAppendOnly && isPersisting
      ? { check: 'redis aof', status: 'ok', detail: 'The append-only file (AOF) is on.' }
      : {
          check: 'redis aof',
          status: 'fail',
          detail: isAppendOnly
            ? 'Redis failed to write to its disk: is it full?'
            : 'The append-only file (AOF) is off: a restart loses all jobs until the worker makes them anew. Set appendonly yes.',
        },
  ];
}

/** Whether Redis answers and keeps jobs. */
export const checkRedis = (url: string | undefined): Check => ({
  name: 'redis',
  look: async () => {
    if (url === undefined) {
      return { check: 'redis', status: 'ok', detail: 'Not used: jobs run on PostgreSQL.' };
    }

    try {
      return judge(await inspectRedis(url));
    } catch (error) {
      return { check: 'redis', status: 'fail', detail: describeAbsence(error, url) };
    }
  },
});
