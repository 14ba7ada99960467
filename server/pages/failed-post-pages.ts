import type { FastifyRequest } from 'fastify';
import type { Redis } from '../../shared/node/redis/connections.ts';
import { Minute } from '../../shared/time.ts';
import { makeRateLimitError } from '../http/errors.ts';
import { getNetworkKey } from '../rate-limits/client-key.ts';
import { createRateLimiter, type RateLimitResult } from '../rate-limits/rate-limiter.ts';
import type { OwnPageState, PageRenderer } from './page-renderer.ts';

/** How often a client gets a page that shows why its post failed: more than any person fails. */
const perClient = { name: 'failed-post', count: 60, windowMs: 10 * Minute };
const perNetwork = { name: 'failed-post-network', count: 180, windowMs: 10 * Minute };

/**
 * Counts the failed posts of all forms together.
 * @throws AppError rate-limited, when the client or its network gets no page any more
 */
export type CountFailedPost = (address: string) => Promise<void>;

function refuseBeyondLimit({ excess, waitSeconds }: RateLimitResult): void {
  if (excess > 0) throw makeRateLimitError(waitSeconds);
}

export function createFailedPostCounter(redis: Redis | undefined): CountFailedPost {
  const clients = createRateLimiter(redis, perClient);
  const networks = createRateLimiter(redis, perNetwork);

  return async (address) => {
    // What is refused to a client uses up nothing of its neighbors'.
    refuseBeyondLimit(await clients.take(address));
    refuseBeyondLimit(await networks.take(getNetworkKey(address)));
  };
}

/**
 * Renders the page that says why a visitor's post failed.
 * @throws AppError rate-limited, whose answer costs next to nothing, or overloaded
 */
export type RenderFailedPost = (
  request: FastifyRequest,
  location: string,
  state: OwnPageState,
) => Promise<string>;

export function makeFailedPostRenderer(
  { renderUncached }: PageRenderer,
  countFailedPost: CountFailedPost,
): RenderFailedPost {
  return async ({ ip }, location, state) => {
    await countFailedPost(ip);

    return renderUncached(location, state);
  };
}
