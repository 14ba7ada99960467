import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/*
 * Segments of the write-ahead log are files of 16 MB, named by timeline and position: 8 hexadecimal digits each
 * for timeline, log and segment. The one that is being received ends with `.partial`.
 */

const SEGMENT = /^([0-9A-F]{8})([0-9A-F]{8})([0-9A-F]{8})(\.partial)?$/;
const PARTIAL = '.partial';
/** Number of a segment, and place in it. */
const PLACE = /^(..)(......)$/;
/** 4 GB of segments of 16 MB. */
const SEGMENTS_PER_LOG = 256;

/** The names of segments, without `.partial`, in their order. */
export const listSegments = (names: readonly string[]): readonly string[] => [
  ...new Set(names.filter((name) => SEGMENT.test(name)).map((name) => name.replace(PARTIAL, ''))),
].sort();

const toNumber = (log: string, number: string): number =>
  Number.parseInt(log, 16) * SEGMENTS_PER_LOG + Number.parseInt(number, 16);

/** The number of a segment on its timeline. */
function getNumber(segment: string): number {
  const [, , log = '', number = ''] = SEGMENT.exec(segment) ?? [];

  return toNumber(log, number);
}

/** The number of bytes that were received of a segment: its file has zeros after them. */
async function measureReceived(folder: string, segment: string): Promise<number> {
  const names = new Set(await readdir(folder));
  const bytes = await readFile(join(folder, names.has(segment) ? segment : segment + PARTIAL));

  return bytes.findLastIndex((byte) => byte !== 0) + 1;
}

/**
 * Whether a folder has more of a log than its server, which was set back then.
 * @param position the end of the server's log, two hexadecimal numbers of up to 8 digits: `0/3000148`
 * @throws the file system's errors
 */
export async function isAheadOf(folder: string, position: string): Promise<boolean> {
  const last = listSegments(await readdir(folder)).at(-1);
  if (last === undefined) return false;
  const [log = '', place = ''] = position.split('/');
  const [, number = '', offset = ''] = PLACE.exec(place.padStart(8, '0')) ?? [];
  const difference = getNumber(last) - toNumber(log, number);

  return difference > 0 || (difference === 0 && (await measureReceived(folder, last)) > Number.parseInt(offset, 16));
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
