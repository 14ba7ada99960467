import { globSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { getErrorCode } from '../logging/describe-error.ts';

const root = join(import.meta.dirname, '../../..');

/** The build that `npm run build` or the image's build made. */
export const builtInFolder = join(root, 'dist');

/** Published builds, in one folder per version of the product. Exists only in the stack, as a volume. */
export const publishedFolder = join(root, 'site');

/** File in a build with the version of the product that made it. */
export const VERSION_FILE = 'version';

/** Links in a version's folder to the served build and to the previous one. */
export const CURRENT_LINK = 'current';
export const PREVIOUS_LINK = 'previous';

function emptyIfMissing(read: () => string): string {
  try {
    return read();
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return '';
    throw error;
  }
}

/** Returns the folder of this version's published builds, which may not exist. */
export const getVersionFolder = () =>
  join(publishedFolder, emptyIfMissing(() => readFileSync(join(builtInFolder, VERSION_FILE), 'utf8')));

/** Returns the build that a link of this version points to. */
export function followLink(link: typeof CURRENT_LINK | typeof PREVIOUS_LINK): string | undefined {
  const folder = getVersionFolder();
  const target = emptyIfMissing(() => readlinkSync(join(folder, link)));

  return target === '' ? undefined : resolve(folder, target);
}

/** Returns the folder of the build to serve: this version's last published build, otherwise the built-in one. */
export const findBuild = (): string => followLink(CURRENT_LINK) ?? builtInFolder;

/** The build that this process uses until it ends. */
export const buildFolder = process.env['SITE_BUILD'] || findBuild();

/** Returns the name of a build in health checks: `VERSION/NAME`. */
export const getBuildId = (build: string) =>
  relative(publishedFolder, build === builtInFolder ? join(getVersionFolder(), basename(build)) : build);

/** Returns all builds except the served one. Pages that visitors opened earlier refer to their files. */
export const listOtherBuilds = (): string[] =>
  [builtInFolder, ...globSync('*/[0-9]*', { cwd: publishedFolder }).map((name) => join(publishedFolder, name))].filter(
    (build) => build !== buildFolder,
  );
