import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { Signer, type CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Redis } from '../../shared/node/redis/connections.ts';
import { INCORRECT_PASSWORD } from '../../shared/page-state.ts';
import { Day, Minute, Second } from '../../shared/time.ts';
import { AppError } from '../http/errors.ts';
import { PRIVATE_CACHE_CONTROL } from '../http/security-headers.ts';
import { createClientLimits } from '../http/rate-limits.ts';

const MAX_AGE = 30 * Day;

const perClient = { name: 'gate-client', count: 5, windowMs: Minute };
const perNetwork = { name: 'gate-network', count: 60, windowMs: Minute };

function makeTryError(retryAfterSeconds: number): AppError {
  return new AppError('rate-limited', `Too many tries. Please try again in ${retryAfterSeconds} seconds.`, {
    retryAfterSeconds,
  });
}

/** Digests of equal length, for a comparison in constant time. The same text has one digest however it is composed. */
const digest = (text: string) => createHash('sha256').update(text.normalize('NFC')).digest();

interface GateSettings {
  readonly password: string;
  /** The first signs, all verify. */
  readonly secrets: readonly string[];
  readonly publicUrl: string;
  readonly redis: Redis | undefined;
}

/** The gate in front of the listing: one password for everyone, and a cookie for whoever entered it. */
export type Gate = ReturnType<typeof createGate>;

/**
 * Makes the gate. Its cookie is the signed expiry; the key derives from secret and password, so changing either locks.
 */
export function createGate({ password, secrets, publicUrl, redis }: GateSettings) {
  const countTry = createClientLimits(redis, perClient, perNetwork, makeTryError);
  const expected = digest(password);
  const signer = new Signer(
    secrets.map((secret) => createHmac('sha256', secret).update(`insights ${password}`).digest()),
  );
  const isHttps = publicUrl.startsWith('https:');
  // With the prefix no other host of the domain can set it; browsers demand HTTPS for it.
  const name = isHttps ? '__Host-insights' : 'insights';
  const options: CookieSerializeOptions = {
    path: '/',
    httpOnly: true,
    secure: isHttps,
    sameSite: 'lax',
    maxAge: MAX_AGE / Second,
  };

  return {
    isUnlocked: ({ cookies }: FastifyRequest): boolean => {
      const { valid, value } = signer.unsign(cookies[name] ?? '');

      return valid && value !== null && Date.now() < Number.parseInt(value, 36);
    },
    /** Unlocks for the right password; throws AppError incorrect-password or rate-limited. */
    unlock: async ({ ip }: FastifyRequest, reply: FastifyReply, attempt: string): Promise<void> => {
      await countTry(ip);
      if (!timingSafeEqual(digest(attempt), expected)) {
        throw new AppError('incorrect-password', INCORRECT_PASSWORD);
      }
      reply.setCookie(name, signer.sign((Date.now() + MAX_AGE).toString(36)), options);
    },
    lock: (reply: FastifyReply): void => void reply.clearCookie(name, options),
  };
}

/** Marks a response that depends on the gate's cookie. */
export function markGated(reply: FastifyReply): FastifyReply {
  return reply.headers({ 'cache-control': PRIVATE_CACHE_CONTROL, vary: 'Cookie' });
}
