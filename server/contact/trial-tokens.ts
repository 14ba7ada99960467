import { readLinkToken, TRIAL_AGE } from '../../shared/node/mail/signed-action-link.ts';
import type { Redis } from '../../shared/node/redis/connections.ts';
import { AppError } from '../http/errors.ts';
import { createRateLimiter } from '../http/rate-limits.ts';

/** Makes the function that accepts a trial request's token once; it throws an AppError when forged, expired or used. */
export function createTrialTokens(redis: Redis | undefined, secrets: readonly string[]) {
  const countUse = createRateLimiter(redis, { name: 'trial', count: 1, windowMs: TRIAL_AGE, getKey: (id) => id });

  return async (token: unknown): Promise<void> => {
    const id = typeof token === 'string' ? readLinkToken('trial', token, secrets) : undefined;
    if (id !== undefined && !(await countUse(id)).isOverLimit) return;
    throw new AppError('invalid-fields', 'Please check the fields that are marked.', {
      errors: { trial: 'This token is not valid.' },
    });
  };
}
