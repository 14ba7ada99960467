import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { getErrorCode, SiteError } from '../../shared/node/logging/describe-error.ts';

/*
 * Segments of the write-ahead log are files of 16 MB, named by timeline and position: 8 hexadecimal digits each
 * for timeline, log and segment. The one that is being received ends with `.partial`.
 */

const SEGMENT = /^([0-9A-F]{8})([0-9A-F]{8})([0-9A-F]{8})(\.partial)?$/;
const PARTIAL = '.partial';
const SEGMENT_BYTES = 16 * 1024 ** 2;
/** 4 GB of segments. */
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

/**
 * The bytes of a log before a position, such as `0/3000148`: the upper and the lower half of their number.
 * @throws when it is none
 */
export function parsePosition(position: string): number {
  const [, high = '', low = ''] = /^([\dA-F]{1,8})\/([\dA-F]{1,8})$/.exec(position) ?? [];
  const bytes = Number.parseInt(high, 16) * 2 ** 32 + Number.parseInt(low, 16);
  if (Number.isNaN(bytes)) throw new SiteError(`${position} is no position of a write-ahead log.`);

  return bytes;
}

/** The number of bytes that were received of a segment: its file has zeros after them. */
async function measureReceived(path: string): Promise<number> {
  const bytes = await readFile(path);

  return bytes.findLastIndex((byte) => byte !== 0) + 1;
}

/** How far a folder has a log, in bytes as `parsePosition` counts them. */
interface ReceivedSegments {
  readonly timeline: number;
  readonly end: number;
}

/**
 * Measures the segments in a folder; undefined when there is none.
 * @throws the file system's errors
 */
export async function measureSegments(folder: string): Promise<ReceivedSegments | undefined> {
  const names = await readdir(folder);
  const last = listSegments(names).at(-1);
  if (last === undefined) return undefined;
  const path = join(folder, names.includes(last) ? last : last + PARTIAL);
  const end = getNumber(last) * SEGMENT_BYTES + (await measureReceived(path));

  return { timeline: Number.parseInt(last.slice(0, 8), 16), end };
}

/** Whether no segment is missing between the first and the last of a timeline. */
export function isUnbroken(segments: readonly string[]): boolean {
  return segments.every((segment, index) => {
    const before = segments[index - 1];

    return before === undefined || before.slice(0, 8) !== segment.slice(0, 8) || getNumber(before) + 1 === getNumber(segment);
  });
}

/** The files in a folder by their names, with the state of each; none of one that is renamed meanwhile. */
async function readStates(folder: string) {
  const names = (await readdir(folder)).sort();

  return Promise.all(
    names.map(async (name) => ({ name, state: await stat(join(folder, name)).catch(() => undefined) })),
  );
}

/** The names and states of all files in a folder, which is another text once one of them changes. */
export async function describeFiles(folder: string): Promise<string> {
  const files = await readStates(folder);

  return files.map(({ name, state }) => `${name} ${state?.size} ${state?.mtimeMs}`).join('\n');
}

/**
 * Measures the bytes of the files in a folder that were written after a moment; none of a folder that was removed.
 * @throws the file system's errors
 */
export async function measureSince(folder: string, moment: Date): Promise<number> {
  try {
    const files = await readStates(folder);

    return files.reduce((sum, { state }) => sum + (state && state.mtime > moment ? state.size : 0), 0);
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}

/** Removes the segments before `first`. */
export async function removeSegmentsBefore(folder: string, first: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (SEGMENT.test(name) && name.replace(PARTIAL, '') < first) await rm(join(folder, name));
  }
}
