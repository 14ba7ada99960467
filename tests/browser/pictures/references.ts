import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findDifference, makeReference } from './find-difference.ts';

const folder = fileURLToPath(new URL('../screenshots/', import.meta.url));
const versionFile = join(folder, 'chromium-version.txt');
const reportFolder = fileURLToPath(new URL('../../../.data/pictures/', import.meta.url));

/** Set by `npm run test:pictures -- --update`. */
export const isUpdating = process.env['UPDATE_SCREENSHOTS'] === 'true';

/**
 * Number of attempts. On a busy machine, one in several hundred screenshots is taken while part of the page is still
 * moving by a fraction of a pixel.
 */
const ATTEMPTS = 3;

const locate = (name: string) => join(folder, `${name}.webp`);

async function writeInto(file: string, content: Buffer | string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}

/** The result if a screenshot matches its reference. */
export const UNCHANGED = 'as its reference';

export interface References {
  /** What to do if a screenshot differs. */
  readonly advice: string;
  /**
   * Compares a screenshot with its reference. If they differ, writes both and their difference to `.data/pictures`; an
   * update writes the reference instead.
   * @param name `WIDTH/NAME`
   * @returns `UNCHANGED`, or a description of the difference. An update always returns `UNCHANGED`
   */
  compare(name: string, takeScreenshot: () => Promise<Buffer>): Promise<string>;
  /** Stores the Chromium version after an update. */
  finish(): Promise<void>;
}

/** Returns the last screenshot and its difference, or undefined if one of the attempts matches. */
async function describeDifference(before: Buffer | undefined, takeScreenshot: () => Promise<Buffer>) {
  if (!before) return { screenshot: await takeScreenshot(), what: 'no reference yet', picture: undefined };
  for (let attempt = 1; ; attempt += 1) {
    const screenshot = await takeScreenshot();
    const found = await findDifference(before, screenshot);
    if (!found) return undefined;
    if (attempt < ATTEMPTS) continue;

    return { screenshot, what: `${found.pixels} pixels differ`, picture: found.picture };
  }
}

function advise(version: string, referenceVersion: string | undefined): string {
  const versions =
    referenceVersion === version
      ? ''
      : ` Chromium may be the cause: the references are from ${referenceVersion ?? 'an unknown version'}, this is ${version}.`;

  return (
    `The pictures are in .data/pictures.${versions} ` +
    'If the change is intended, npm run test:pictures -- --update writes new references.'
  );
}

/**
 * Opens the reference screenshots in the repository.
 * @param version the version of Chromium that takes the screenshots
 */
export async function openReferences(version: string): Promise<References> {
  const referenceVersion = await readFile(versionFile, 'utf8').then((text) => text.trim(), () => undefined);
  await rm(reportFolder, { recursive: true, force: true });

  return {
    advice: advise(version, referenceVersion),
    compare: async (name, takeScreenshot) => {
      const before = await readFile(locate(name)).catch(() => undefined);
      const found = await describeDifference(before, takeScreenshot);
      if (!found) return UNCHANGED;
      const { screenshot, ...difference } = found;
      const after = await makeReference(screenshot);
      if (isUpdating) {
        await writeInto(locate(name), after);

        return UNCHANGED;
      }
      for (const [kind, picture] of Object.entries({ before, after, difference: difference.picture })) {
        if (picture) await writeInto(join(reportFolder, `${name}-${kind}.webp`), picture);
      }

      return difference.what;
    },
    finish: async () => {
      if (isUpdating) await writeInto(versionFile, `${version}\n`);
    },
  };
}
