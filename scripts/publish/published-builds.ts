import { globSync } from 'node:fs';
import { lstat, mkdir, readdir, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import {
  CURRENT_LINK,
  findBuild,
  followLink,
  getVersionFolder,
  PREVIOUS_LINK,
  publishedFolder,
} from '../../shared/node/content/build-folder.ts';
import { buildInto } from '../build.ts';
import { runStep } from '../run-step.ts';
import { waitForWeb } from './wait-for-web.ts';

/** Name prefix of incomplete builds. */
const INCOMPLETE = '.new-';

type Link = typeof CURRENT_LINK | typeof PREVIOUS_LINK;

/** Atomically sets one of this version's links. */
async function setLink(link: Link, build: string): Promise<void> {
  const folder = getVersionFolder();
  const temporary = join(folder, `${INCOMPLETE}${link}`);
  await rm(temporary, { force: true });
  await symlink(relative(folder, build), temporary);
  await rename(temporary, join(folder, link));
}

/** Makes a build and returns its folder. The build is incomplete until `completeBuild` renames it. */
export async function makeBuild(): Promise<string> {
  const folder = getVersionFolder();
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    // Left behind by a publish that was killed.
    if (name.startsWith(INCOMPLETE)) await rm(join(folder, name), { recursive: true });
  }
  const name = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const build = join(folder, INCOMPLETE + name);
  await buildInto(build);

  return build;
}

/** Flushes a build to disk and renames it to its final name. Returns its folder. */
export async function completeBuild(build: string): Promise<string> {
  await runStep('Writing to disk', 'sync', []);
  const complete = join(dirname(build), basename(build).slice(INCOMPLETE.length));
  await rename(build, complete);

  return complete;
}

/** Returns the versions that have published builds, latest first. */
export async function listVersions(): Promise<string[]> {
  const links = globSync(`*/${CURRENT_LINK}`, { cwd: publishedFolder });
  const versions = await Promise.all(
    links.map(async (link) => ({ name: dirname(link), at: (await lstat(join(publishedFolder, link))).mtimeMs })),
  );

  return versions.sort((one, other) => other.at - one.at).map(({ name }) => name);
}

/** Removes all builds except those that the site, `--back` or a downgrade by one version needs. */
async function removeOldBuilds(): Promise<void> {
  const folder = getVersionFolder();
  const kept: ReadonlyArray<string | undefined> = [followLink(CURRENT_LINK), followLink(PREVIOUS_LINK)];
  const old = (await readdir(folder)).filter((name) => /^\d/.test(name)).map((name) => join(folder, name));
  const [, ...oldVersions] = (await listVersions()).filter((name) => name !== basename(folder));
  for (const build of [...old.filter((build) => !kept.includes(build)), ...oldVersions.map((name) => join(publishedFolder, name))]) {
    await rm(build, { recursive: true });
  }
}

/** Switches the site to a build. @throws if web does not start with it; the site is then unchanged */
export async function switchTo(build: string): Promise<void> {
  const before = findBuild();
  const beforeThat = followLink(PREVIOUS_LINK);
  await setLink(PREVIOUS_LINK, before);
  await setLink(CURRENT_LINK, build);
  try {
    await waitForWeb(build);
  } catch (error) {
    await setLink(CURRENT_LINK, before);
    if (beforeThat) await setLink(PREVIOUS_LINK, beforeThat);
    throw error;
  }
  await removeOldBuilds();
}
