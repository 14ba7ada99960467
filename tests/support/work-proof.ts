import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/sha';
import type { Challenge } from 'altcha-lib/types';
import { apiPaths } from '../../shared/paths.ts';
import { request, type TestSite } from './test-site.ts';

/** A challenge with its solution: a proof of work as the form sends it. */
export async function solve(challenge: Challenge) {
  const solution = await solveChallenge({ challenge, deriveKey });
  if (!solution) throw new Error('The challenge has no solution.');

  return { challenge, solution };
}

/** Requests a challenge of a site and solves it. */
export async function proveWork(site: TestSite) {
  const response = await request(site, apiPaths.contactChallenge);

  return solve((await response.json()) as Challenge);
}
