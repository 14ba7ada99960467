import type { ScryptOptions } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { INCORRECT_PASSWORD } from '../../shared/page-state.ts';
import { AppError } from '../http/errors.ts';
import { PRIVATE_CACHE_CONTROL } from '../http/security-headers.ts';
import { createGateCookie } from './gate-cookie.ts';
import type { GateLimits } from './gate-limits.ts';
import { createPasswordCheck } from './password-check.ts';

/** The gate in front of the listing: one password for everyone, and a cookie for whoever entered it. */
export interface Gate {
  readonly isUnlocked: (request: FastifyRequest) => boolean;
  /**
   * Unlocks for the visitor when the password is the right one.
   * @throws AppError incorrect-password, rate-limited or overloaded
   */
  readonly unlock: (
    request: FastifyRequest,
    reply: FastifyReply,
    attempt: string,
  ) => Promise<void>;
  readonly lock: (reply: FastifyReply) => void;
}

interface GateSettings {
  readonly password: string;
  readonly secrets: readonly string[];
  readonly publicUrl: string;
  readonly limits: GateLimits;
  /** Of one password's check; PASSWORD_COST unless given. */
  readonly passwordCost?: ScryptOptions | undefined;
}

/** Makes the gate; `@fastify/cookie` has to be registered where it is used. */
export function createGate({ password, secrets, publicUrl, limits, passwordCost }: GateSettings): Gate {
  const cookie = createGateCookie({ password, secrets, isHttps: publicUrl.startsWith('https:') });
  const isPassword = createPasswordCheck(password, passwordCost);

  const checkPassword = async ({ ip, raw }: FastifyRequest, password: string) => {
    const { delayMs, refund } = await limits.consume(ip);
    try {
      return await isPassword({ password, delayMs, isConnected: () => !raw.socket.destroyed });
    } catch (error) {
      await refund();
      throw error;
    }
  };

  return {
    isUnlocked: ({ cookies }) => cookie.isValid(cookies[cookie.name], Date.now()),
    unlock: async (request, reply, attempt) => {
      if (!(await checkPassword(request, attempt))) {
        throw new AppError('incorrect-password', INCORRECT_PASSWORD);
      }
      reply.setCookie(cookie.name, cookie.makeValue(Date.now()), cookie.options);
    },
    lock: (reply) => {
      reply.clearCookie(cookie.name, cookie.options);
    },
  };
}

/** Marks a response that depends on the gate's cookie. */
export function markGated(reply: FastifyReply): FastifyReply {
  return reply.headers({ 'cache-control': PRIVATE_CACHE_CONTROL, vary: 'Cookie' });
}
