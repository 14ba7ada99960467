import { readFile } from 'node:fs/promises';
import * as v from 'valibot';
import { Day } from '../../time.ts';
import { getErrorCode } from '../logging/describe-error.ts';

/** What the Dockerfile writes into each image that has Node. */
const IMAGE_FILE = '/image.json';

const imageSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    version: v.string(),
    created: v.pipe(v.string(), v.isoTimestamp(), v.transform(Date.parse)),
  }),
);

/** The version where nobody gave one: `docker compose up` in a clone. */
const UNKNOWN = 'unknown';

/** The image that a process runs in; `created` is in milliseconds since 1970. */
export type Image = v.InferOutput<typeof imageSchema>;

/** How old an image may be before its packages have been without fixes for too long: a monthly refresh, and two weeks. */
const MAX_IMAGE_AGE = 45 * Day;

const manifestSchema = v.pipe(v.string(), v.parseJson(), v.object({ version: v.string() }));

/** The version of the files that this process runs. */
export async function readFilesVersion(): Promise<string> {
  return v.parse(manifestSchema, await readFile(new URL('../../../package.json', import.meta.url), 'utf8')).version;
}

/** The image this process runs in; undefined outside of one. */
export async function readImage(file: string = IMAGE_FILE): Promise<Image | undefined> {
  try {
    const image = v.parse(imageSchema, await readFile(file, 'utf8'));

    return image.version === UNKNOWN ? { ...image, version: await readFilesVersion() } : image;
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

export const isImageOld = ({ created }: Image, now: number): boolean => now - created > MAX_IMAGE_AGE;
