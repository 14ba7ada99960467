import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/sha';
import type { Challenge } from 'altcha-lib/types';
import { apiPaths } from '../../shared/paths.ts';

/** A challenge with its solution: a proof of work as the form sends it. */
export async function solve(challenge: Challenge) {
  const solution = await solveChallenge({ challenge, deriveKey });
  if (!solution) throw new Error('The challenge has no solution.');

  return { challenge, solution };
}

/** Asks a site for a challenge and solves it. */
export async function proveWork(origin: string) {
  const answer = await fetch(origin + apiPaths.contactChallenge);

  return solve((await answer.json()) as Challenge);
}
