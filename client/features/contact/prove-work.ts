import { solveChallenge } from 'altcha-lib';
import type { Challenge, DeriveKeyFunction } from 'altcha-lib/types';
import type { WorkProof } from '../../../shared/contact/spam-signals.ts';
import { apiPaths } from '../../../shared/paths.ts';
import { hashSha256 } from './hash-sha256.ts';

/** altcha's `SHA-256`: the hash of salt and try, hashed again until it was hashed `cost` times. */
export const deriveKey: DeriveKeyFunction = async ({ cost, keyLength }, salt, password) => {
  let derivedKey = new Uint8Array([...salt, ...password]);
  for (let round = 0; round < cost; round += 1) derivedKey = hashSha256(derivedKey);

  return { derivedKey: derivedKey.subarray(0, keyLength) };
};

/**
 * Fetches a challenge and solves it, which takes a phone about a second; the page stays alive
 * meanwhile. Undefined when the server gives none or the signal ends it.
 */
export async function proveWork(signal: AbortSignal): Promise<WorkProof | undefined> {
  const answer = await fetch(apiPaths.contactChallenge, { signal });
  if (!answer.ok) return undefined;
  const challenge = (await answer.json()) as WorkProof['challenge'];
  const controller = new AbortController();
  signal.addEventListener('abort', () => controller.abort());
  const solution = await solveChallenge({
    challenge: challenge satisfies Challenge,
    controller,
    deriveKey,
  });

  return solution ? { challenge, solution } : undefined;
}
