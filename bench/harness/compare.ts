/** Results of one run, by name. */
export type Results = Readonly<Record<string, number>>;

/** The middle value; of an even number the higher of the two in the middle. */
export function findMedian(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);

  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The median of each result over the runs. @throws when there is no run */
function findMedians<Measured extends Results>(runs: readonly Measured[]): Measured {
  const [first] = runs;
  if (!first) throw new Error('There is no run to take the median of.');
  const medians = Object.keys(first).map((name) => [
    name,
    findMedian(runs.map((run) => run[name] ?? Number.NaN)),
  ]);

  return Object.fromEntries(medians) as Measured;
}

/**
 * Interleaves the runs of all targets and reverses their order each time, so that a slow moment of the
 * machine affects all of them alike.
 * @param runs of each target
 * @returns the median of each result, in the order of the targets
 */
export async function runInterleaved<Target, Measured extends Results>(
  targets: readonly Target[],
  measure: (target: Target) => Promise<Measured>,
  runs: number,
): Promise<Measured[]> {
  const results: Measured[][] = targets.map(() => []);
  const forward = [...targets.entries()];
  for (let run = 0; run < runs; run += 1) {
    const order = run % 2 === 0 ? forward : forward.toReversed();
    for (const [index, target] of order) results[index]?.push(await measure(target));
  }

  return results.map(findMedians);
}
