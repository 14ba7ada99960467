/** Returns the Levenshtein distance between two texts. */
function countEdits(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }

  return previous.at(-1) ?? 0;
}

/** Returns the proportion of edits, from 0 (same text) to 1. Slow for long texts. */
export const getTextDifference = (one: string, other: string): number =>
  countEdits(one, other) / Math.max(one.length, other.length, 1);

/** Returns the candidate with the smallest difference up to `maxDifference`. */
export function findNearest(
  text: string,
  candidates: readonly string[],
  maxDifference: number,
): string | undefined {
  const [nearest] = candidates
    .map((candidate) => ({ candidate, difference: getTextDifference(text, candidate) }))
    .filter(({ difference }) => difference <= maxDifference)
    .sort((one, other) => one.difference - other.difference);

  return nearest?.candidate;
}
