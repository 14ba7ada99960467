import { createHmac } from 'node:crypto';
import { createChallenge, randomInt, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/sha';
import type { Challenge } from 'altcha-lib/types';
import type { WorkProof } from '../../shared/contact/contact-request.ts';
import type { SpentProof } from '../../shared/node/contact/spent-proofs.ts';
import { getSigningSecret } from '../../shared/node/mail/signed-action-link.ts';
import { Minute, Second } from '../../shared/time.ts';

/**
 * A thousand attempts on average, of a hundred SHA-256 each: a phone that makes 100,000 of them a
 * second in JavaScript needs a second, and one and a half at most. Who checks makes a hundred.
 */
const work = { minAttempts: 500, maxAttempts: 1_500, cost: 100 } as const;

const MAX_AGE = 10 * Minute;

/** The key of challenges, which verifies nothing else that COOKIE_SECRET signs. */
const deriveSecret = (secret: string) =>
  createHmac('sha256', secret).update('contact-challenge').digest('hex');

/** Challenges that cost a browser a second, and the check of their solutions; stateless. */
export interface ProofOfWork {
  readonly makeChallenge: () => Promise<Challenge>;
  /** What to store of a proof so that it counts once; undefined when it proves nothing. */
  readonly check: (proof: WorkProof) => Promise<SpentProof | undefined>;
}

/** @param secrets the first signs, all verify */
export function createProofOfWork(secrets: readonly string[]): ProofOfWork {
  const keys = secrets.map(deriveSecret);

  return {
    makeChallenge: () =>
      createChallenge({
        algorithm: 'SHA-256',
        cost: work.cost,
        counter: randomInt(work.maxAttempts, work.minAttempts),
        deriveKey,
        expiresAt: new Date(Date.now() + MAX_AGE),
        hmacSignatureSecret: getSigningSecret(keys),
      }),
    check: async ({ challenge, solution }) => {
      for (const hmacSignatureSecret of keys) {
        const { verified } = await verifySolution({
          challenge,
          solution,
          deriveKey,
          hmacSignatureSecret,
        });
        if (verified) {
          const expiresAt = new Date(challenge.parameters.expiresAt * Second);

          return { challenge: challenge.signature, expiresAt };
        }
      }

      return undefined;
    },
  };
}
