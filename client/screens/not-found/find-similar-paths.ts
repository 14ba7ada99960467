import { getTextDifference } from '../../../shared/text-difference.ts';

const getLastPart = (path: string) => path.slice(path.lastIndexOf('/') + 1);

/** Maximum proportion of edits. Above it, paths are similar only by chance. */
const MAX_DIFFERENCE = 0.6;
/** In characters. Longer paths aren't typos, and comparing them is slow. */
const MAX_LENGTH = 200;

/** Returns the known paths most similar to a missing one, best first. Compares whole paths and last segments. */
export function findSimilarPaths(path: string, known: readonly string[], count: number): readonly string[] {
  const typed = path.toLowerCase().replace(/\/+$/, '');
  if (typed.length > MAX_LENGTH) return [];

  return known
    .map((candidate) => ({
      candidate,
      difference: Math.min(
        getTextDifference(typed, candidate),
        getTextDifference(getLastPart(typed), getLastPart(candidate)),
      ),
    }))
    .filter(({ difference }) => difference <= MAX_DIFFERENCE)
    .sort((one, other) => one.difference - other.difference)
    .slice(0, count)
    .map(({ candidate }) => candidate);
}
