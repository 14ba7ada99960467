import { createHmac } from 'node:crypto';
import { Signer, type CookieSerializeOptions } from '@fastify/cookie';
import { Day, Second } from '../../shared/time.ts';

const MAX_AGE = 30 * Day;

/** The cookie that carries an unlock. */
interface GateCookie {
  readonly name: string;
  readonly options: CookieSerializeOptions;
  /** A value that is valid for 30 days. @param now milliseconds */
  readonly makeValue: (now: number) => string;
  readonly isValid: (value: string | undefined, now: number) => boolean;
}

interface GateCookieSettings {
  readonly password: string;
  /** The first signs, all verify. */
  readonly secrets: readonly string[];
  readonly isHttps: boolean;
}

/**
 * Signs the time at which an unlock expires. The key derives from the secret and the password:
 * changing either revokes every unlock. It names nobody, so there is nothing to look up or store.
 */
export function createGateCookie({ password, secrets, isHttps }: GateCookieSettings): GateCookie {
  const signer = new Signer(
    secrets.map((secret) => createHmac('sha256', secret).update(`insights ${password}`).digest()),
  );

  return {
    // With the prefix no other host of the domain can set it; browsers demand HTTPS for it.
    name: isHttps ? '__Host-insights' : 'insights',
    options: {
      path: '/',
      httpOnly: true,
      secure: isHttps,
      sameSite: 'lax',
      maxAge: MAX_AGE / Second,
    },
    makeValue: (now) => signer.sign((now + MAX_AGE).toString(36)),
    isValid: (value, now) => {
      if (value === undefined) return false;
      const { valid, value: expiresAt } = signer.unsign(value);

      return valid && expiresAt !== null && now < Number.parseInt(expiresAt, 36);
    },
  };
}
