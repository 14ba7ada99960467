import { readFile } from 'node:fs/promises';
import * as v from 'valibot';
import { Day } from '../../time.ts';
import { getErrorCode } from '../logging/describe-error.ts';

/** The Dockerfile adds this file to each image that contains Node. */
const IMAGE_FILE = '/image.json';

const imageSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    version: v.string(),
    created: v.pipe(v.string(), v.isoTimestamp(), v.transform(Date.parse)),
  }),
);

/** Version of an image built without a version, such as by `docker compose up` in a clone. */
const UNKNOWN = 'unknown';

/** A process's image. `created` is in milliseconds since 1970. */
export type Image = v.InferOutput<typeof imageSchema>;

/** Images are refreshed monthly; this adds a margin of two weeks. Older images lack security fixes. */
const MAX_IMAGE_AGE = 45 * Day;

const manifestSchema = v.pipe(v.string(), v.parseJson(), v.object({ version: v.string() }));

/** Returns the version in package.json. */
export async function readFilesVersion(): Promise<string> {
  return v.parse(manifestSchema, await readFile(new URL('../../../package.json', import.meta.url), 'utf8')).version;
}

/** Returns this process's image. Undefined outside an image. */
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
