/** Edits (Levenshtein): characters to add, remove or replace until one text is the other. */
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

/** Edits for each character of the longer text: 0 for the same, 1 where nothing is. Takes long for long texts. */
export const getTextDifference = (one: string, other: string): number =>
  countEdits(one, other) / Math.max(one.length, other.length, 1);

/** The candidate that differs least from a text, if no larger a share of it differs than `maxDifference`. */
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
