import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/*
 * Segments of the write-ahead log are files of 16 MB, named by timeline and position: 8 hexadecimal digits each
 * for timeline, log and segment. The one that is being received ends with `.partial`.
 */

const SEGMENT = /^([0-9A-F]{8})([0-9A-F]{8})([0-9A-F]{8})(\.partial)?$/;
const PARTIAL = '.partial';
/** 4 GB of segments of 16 MB. */
const SEGMENTS_PER_LOG = 256;

/** The names of segments, without `.partial`, in their order. */
export const listSegments = (names: readonly string[]): readonly string[] => [
  ...new Set(names.filter((name) => SEGMENT.test(name)).map((name) => name.replace(PARTIAL, ''))),
].sort();

/** The number of a segment on its timeline. */
function getNumber(segment: string): number {
  const [, , log = '', number = ''] = SEGMENT.exec(segment) ?? [];

  return Number.parseInt(log, 16) * SEGMENTS_PER_LOG + Number.parseInt(number, 16);
}

/** Whether no segment is missing between the first and the last of a timeline. */
export function isUnbroken(segments: readonly string[]): boolean {
  return segments.every((segment, index) => {
    const before = segments[index - 1];

    return before === undefined || before.slice(0, 8) !== segment.slice(0, 8) || getNumber(before) + 1 === getNumber(segment);
  });
}

/** The names and states of all files in a folder, which is another text once one of them changes. */
export async function describeFiles(folder: string): Promise<string> {
  const names = (await readdir(folder)).sort();
  const states = await Promise.all(
    names.map(async (name) => {
      // One that is renamed meanwhile is another state.
      const file = await stat(join(folder, name)).catch(() => undefined);

      return `${name} ${file?.size} ${file?.mtimeMs}`;
    }),
  );

  return states.join('\n');
}

/** Removes the segments before `first`. */
export async function removeSegmentsBefore(folder: string, first: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (SEGMENT.test(name) && name.replace(PARTIAL, '') < first) await rm(join(folder, name));
  }
}
