import { constants } from 'node:os';
import { ensureBuilt } from '../scripts/build.ts';
import { ensurePrerequisites, type Prerequisite } from '../scripts/prerequisites.ts';
import { publishPart, type PartReport } from './report.ts';

/** Takes what must be undone at the end, in whichever way that is reached; the last is undone first. */
export type AtEnd = (undo: () => Promise<unknown> | void) => void;

/**
 * Runs a part of the benchmarks on the built site: prepares what it needs, measures, and puts what
 * came out into `docs/benchmarks.md`. Whatever goes wrong ends the process with 1 and the reason,
 * and a signal with 128 and its number; everything is undone before.
 * @param prerequisites programs of the system it needs
 * @param measure gets the function that has to be told what must be undone at the end
 * @param publish `printPart` where something was only tried
 */
export async function runPart(
  prerequisites: readonly Prerequisite[],
  measure: (atEnd: AtEnd) => Promise<PartReport>,
  publish: (report: PartReport) => void = publishPart,
): Promise<void> {
  const undone: Array<() => Promise<unknown> | void> = [];
  let ending: Promise<never> | undefined;
  // Each, also when one before it fails: what runs would go on.
  const undoAll = async () => {
    for (const undo of undone.splice(0)) await Promise.resolve().then(undo).catch(console.error);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // A terminal's signal comes again, forwarded by npm; the second must not cut the undoing short.
    process.on(signal, () => {
      ending ??= undoAll().then(() => process.exit(128 + constants.signals[signal]));
    });
  }
  try {
    await ensurePrerequisites(prerequisites);
    await ensureBuilt();
    publish(await measure((undo) => undone.unshift(undo)));
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  } finally {
    await undoAll();
  }
}
