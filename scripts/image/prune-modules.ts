import { readFile, readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../processes.ts';
import { listLoaded, type LockedPackages } from './production-packages.ts';

/**
 * Leaves of node_modules what the running site loads: run in the image's build, after an
 * installation without development packages.
 */

const modules = join(projectRoot, 'node_modules');

/** For debuggers, compilers and test runs: Node loads none, and strips no types in node_modules. */
const UNUSED_FILE = /\.(map|ts|mts|cts|test\.[cm]?js)$/;

/** What some packages bring beside their code, directly in their folder. */
const UNUSED_FOLDERS = [
  ...['test', 'tests', '__tests__', 'bench', 'benchmark', 'benchmarks'],
  ...['docs', 'example', 'examples', '.github'],
];

async function removePackages(packages: LockedPackages): Promise<void> {
  const loaded = listLoaded(packages);
  const unloaded = Object.keys(packages).filter((folder) => folder !== '' && !loaded.has(folder));
  const unused = [...loaded].flatMap((folder) =>
    UNUSED_FOLDERS.map((name) => join(folder, name)),
  );
  await Promise.all(
    [...unloaded, ...unused].map((folder) =>
      rm(join(projectRoot, folder), { recursive: true, force: true }),
    ),
  );
}

async function removeRemains(): Promise<void> {
  for (const name of await readdir(modules)) {
    const path = join(modules, name);
    // Links to programs, notes of npm (with the addresses it fetched from) and of the setup.
    if (name.startsWith('.')) await rm(path, { recursive: true });
    else if (name.startsWith('@') && (await readdir(path)).length === 0) await rmdir(path);
  }
}

async function removeUnusedFiles(): Promise<void> {
  const entries = await readdir(modules, { recursive: true, withFileTypes: true });
  const unused = entries.filter(
    (entry) => entry.name === '.bin' || (entry.isFile() && UNUSED_FILE.test(entry.name)),
  );
  await Promise.all(
    unused.map((entry) => rm(join(entry.parentPath, entry.name), { recursive: true })),
  );
}

const lock = JSON.parse(await readFile(join(projectRoot, 'package-lock.json'), 'utf8')) as {
  packages: LockedPackages;
};
await removePackages(lock.packages);
await removeRemains();
await removeUnusedFiles();
