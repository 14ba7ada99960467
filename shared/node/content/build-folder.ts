import { globSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { getErrorCode } from '../logging/describe-error.ts';

const root = join(import.meta.dirname, '../../..');

/** The build made by `npm run build` or during the image build. */
export const builtInFolder = join(root, 'dist');

/** Published builds, in one folder per product version. Exists only in the stack, as a volume. */
export const publishedFolder = join(root, 'site');

/** A file in each build, containing the version of the product that made the build. */
export const VERSION_FILE = 'version';

/** Symbolic links in a version's folder to the served build and to the previous one. */
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

/** Returns the folder for this version's published builds. The folder might not exist. */
export const getVersionFolder = () =>
  join(publishedFolder, emptyIfMissing(() => readFileSync(join(builtInFolder, VERSION_FILE), 'utf8')));

/** Returns the build that one of this version's links points to; undefined if the link doesn't exist. */
export function followLink(link: typeof CURRENT_LINK | typeof PREVIOUS_LINK): string | undefined {
  const folder = getVersionFolder();
  const target = emptyIfMissing(() => readlinkSync(join(folder, link)));

  return target === '' ? undefined : resolve(folder, target);
}

/** Returns the folder of the build to serve: this version's last published build, or the built-in one by default. */
export const findBuild = (): string => followLink(CURRENT_LINK) ?? builtInFolder;

/** The build that this process uses until it exits. */
export const buildFolder = process.env['SITE_BUILD'] || findBuild();

/** Returns a build's name for health checks: `VERSION/NAME`. */
export const getBuildId = (build: string) =>
  relative(publishedFolder, build === builtInFolder ? join(getVersionFolder(), basename(build)) : build);

/** Returns all builds except the one being served. Pages opened earlier may still load files from them. */
export const listOtherBuilds = (): string[] =>
  [builtInFolder, ...globSync('*/[0-9]*', { cwd: publishedFolder }).map((name) => join(publishedFolder, name))].filter(
    (build) => build !== buildFolder,
  );
