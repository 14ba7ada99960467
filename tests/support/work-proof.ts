import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/sha';
import type { Challenge } from 'altcha-lib/types';
import { apiPaths } from '../../shared/paths.ts';

/** Asks a site for a challenge and solves it, as the form does. */
export async function proveWork(origin: string) {
  const answer = await fetch(origin + apiPaths.contactChallenge);
  const challenge = (await answer.json()) as Challenge;
  const solution = await solveChallenge({ challenge, deriveKey });
  if (!solution) throw new Error('The challenge has no solution.');

  return { challenge, solution };
}
