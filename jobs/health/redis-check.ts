import type { Logger } from '../../shared/node/logging/logger.ts';
import { inspectRedis } from '../../shared/node/redis/inspect-redis.ts';

/**
 * Makes a task that raises an alert when Redis is set up so that it loses jobs: at the start, and
 * when it comes back otherwise. The sweep queues them again; until then they are late.
 */
export function createRedisCheck(url: string, logger: Logger): () => Promise<void> {
  let reported = '';

  return async () => {
    // Whoever uses Redis reports that it is away.
    const state = await inspectRedis(url).catch(() => undefined);
    if (!state) return;
    const { evictionPolicy, isAppendOnly } = state;
    const isSafe = evictionPolicy === 'noeviction' && isAppendOnly;
    const setUp = `${evictionPolicy} ${isAppendOnly}`;
    if (!isSafe && setUp !== reported) {
      logger.error(
        { evictionPolicy, isAppendOnly, alert: 'redis-loses-jobs' },
        'Redis is set up so that it loses jobs; the doctor says what to set.',
      );
    }
    reported = setUp;
  };
}
