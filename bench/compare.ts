/** How often each target is measured. */
export const REPEATS = 3;

/** Figures of one measurement, by name. */
export type Figures = Readonly<Record<string, number>>;

/** The middle one; of an even number the higher of the two in the middle. */
export function findMedian(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);

  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The median of each figure over the runs. */
export function findMedians<Measured extends Figures>(runs: readonly Measured[]): Measured {
  const [first] = runs;
  if (!first) throw new Error('There is no run to take the median of.');
  const medians = Object.keys(first).map((name) => [
    name,
    findMedian(runs.map((run) => run[name] ?? Number.NaN)),
  ]);

  return Object.fromEntries(medians) as Measured;
}

/**
 * Measures every target once, then again in the opposite order, and so on, so that what changes on
 * the machine meanwhile meets all of them alike.
 * @returns the median of each figure, in the order of the targets
 */
export async function compareInTurns<Target, Measured extends Figures>(
  targets: readonly Target[],
  measure: (target: Target) => Promise<Measured>,
  repeats = REPEATS,
): Promise<Measured[]> {
  const runs: Measured[][] = targets.map(() => []);
  const forth = [...targets.entries()];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const order = repeat % 2 === 0 ? forth : forth.toReversed();
    for (const [index, target] of order) runs[index]?.push(await measure(target));
  }

  return runs.map(findMedians);
}
