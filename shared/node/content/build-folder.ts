import { globSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { getErrorCode } from '../logging/describe-error.ts';

const root = join(import.meta.dirname, '../../..');

/** The build that `npm run build` or the image's build made. */
export const builtInFolder = join(root, 'dist');

/** Published builds, in a folder for each version of the product. It exists where the stack's volume is mounted. */
export const publishedFolder = join(root, 'site');

/** File of a build with the version of the product that made it. */
export const VERSION_FILE = 'version';

/** Links in the folder of a version: to the build that is served, and to the one before it. */
export const CURRENT_LINK = 'current';
export const PREVIOUS_LINK = 'previous';

function orNothing(read: () => string): string {
  try {
    return read();
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return '';
    throw error;
  }
}

/** The folder of this version's published builds, whether it exists or not; there is no version before `npm run build`. */
export const getVersionFolder = () =>
  join(publishedFolder, orNothing(() => readFileSync(join(builtInFolder, VERSION_FILE), 'utf8')));

/** Where a link of this version leads to; undefined where there is none. */
export function followLink(link: typeof CURRENT_LINK | typeof PREVIOUS_LINK): string | undefined {
  const folder = getVersionFolder();
  const target = orNothing(() => readlinkSync(join(folder, link)));

  return target === '' ? undefined : resolve(folder, target);
}

/** The folder of the build to serve: what this version has published last, else what it was installed with. */
export const findBuild = (): string => followLink(CURRENT_LINK) ?? builtInFolder;

/** The folder of the build that this process works with from its start to its end. */
export const buildFolder = process.env['SITE_BUILD'] || findBuild();

/** Names a build in the response to a health check: `VERSION/NAME`. */
export const getBuildId = (build: string) =>
  relative(publishedFolder, build === builtInFolder ? join(getVersionFolder(), basename(build)) : build);

/** All other builds that are there: visitors have pages of the one before, which refer to its files. */
export const listOtherBuilds = (): string[] =>
  [builtInFolder, ...globSync('*/[0-9]*', { cwd: publishedFolder }).map((name) => join(publishedFolder, name))].filter(
    (build) => build !== buildFolder,
  );
