import { ensureBuilt } from '../scripts/build.ts';
import { ensurePrerequisites, type Prerequisite } from '../scripts/prerequisites.ts';
import { publishPart, type PartReport } from './report.ts';

/**
 * Runs a part of the benchmarks on the built site: prepares what it needs, measures, and puts what
 * came out into `docs/benchmarks.md`. Whatever goes wrong ends the process with 1 and the reason.
 * @param prerequisites programs of the system it needs
 * @param measure gets the function that has to be told what must be undone at the end
 */
export async function runPart(
  prerequisites: readonly Prerequisite[],
  measure: (atEnd: (undo: () => Promise<unknown> | void) => void) => Promise<PartReport>,
): Promise<void> {
  const undone: Array<() => Promise<unknown> | void> = [];
  try {
    await ensurePrerequisites(prerequisites);
    await ensureBuilt();
    publishPart(await measure((undo) => undone.unshift(undo)));
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  } finally {
    for (const undo of undone) await undo();
  }
}
