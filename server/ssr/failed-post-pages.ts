import type { FastifyRequest } from 'fastify';
import { Minute } from '../../shared/time.ts';
import { makeRateLimitError } from '../errors.ts';
import type { RateLimiter } from '../rate-limits/rate-limiter.ts';
import type { OwnPageState, PageRenderer } from './page-renderer.ts';

/** How often a client gets a page that shows why its post failed: more than any person fails. */
export const failedPostRate = { name: 'failed-post', count: 60, windowMs: 10 * Minute };

/**
 * Renders the page that says why a visitor's post failed.
 * @throws AppError rate-limited, whose answer costs next to nothing, or overloaded
 */
export type RenderFailedPost = (
  request: FastifyRequest,
  location: string,
  state: OwnPageState,
) => Promise<string>;

/** @param limiter counts the failed posts of all forms together */
export function makeFailedPostRenderer(
  { renderFresh }: PageRenderer,
  limiter: RateLimiter,
): RenderFailedPost {
  return async ({ ip }, location, state) => {
    const { excess, waitSeconds } = await limiter.take(ip);
    if (excess > 0) throw makeRateLimitError(waitSeconds);

    return renderFresh(location, state);
  };
}
