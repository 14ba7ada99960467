import { getTextDifference } from '../../../shared/text-difference.ts';

const getLastPart = (path: string) => path.slice(path.lastIndexOf('/') + 1);

/** Beyond this share of edits two paths are alike by chance. */
const MAX_DIFFERENCE = 0.6;
/** Longer paths are no typing error, and would take long to compare. */
const MAX_LENGTH = 200;

/**
 * The paths that are most like one that has no page, the likeliest first: as a whole, or in their last part, because
 * pages are remembered by it.
 */
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
