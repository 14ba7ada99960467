import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { glob, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { builtInFolder, VERSION_FILE } from '../shared/node/content/build-folder.ts';
import { contentFolder, getToday, readContent, writeContent } from './content/load-content.ts';
import { printSamples } from './content/print-samples.ts';
import { withLock } from './lock.mjs';
import { projectRoot } from './processes.ts';
import { showStep } from './progress.mjs';
import { runMain, runStep } from './run-step.ts';

/** Files that affect builds of the owner's content. Of `shared/node`, pages import only the content folder. */
const INPUTS = [
  ...['client/**', 'shared/*', 'shared/!(node)/**', 'shared/node/content/**', 'server/ssr/**'],
  ...['scripts/{content,vite}/**', 'scripts/{build-site,render-every-page,sharing-pictures}.ts'],
  ...['vite.config.ts', 'package-lock.json', 'tsconfig.json', 'tsconfig.base.json'],
];
const STAMP_FILE = '.build-stamp';

async function hashFiles(folder: string, patterns: readonly string[]): Promise<string> {
  const files: string[] = [];
  const exclude = ['**/*.test.{ts,tsx}'];
  for await (const entry of glob([...patterns], { cwd: folder, withFileTypes: true, exclude })) {
    if (entry.isFile()) files.push(relative(folder, join(entry.parentPath, entry.name)));
  }
  const hash = createHash('sha256');
  for (const file of files.sort()) {
    const content = await readFile(join(folder, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

async function computeStamp(): Promise<{ readonly version: string; readonly stamp: string }> {
  const version = (await hashFiles(projectRoot, INPUTS)).slice(0, 16);

  return { version, stamp: `${version} ${await hashFiles(contentFolder, ['**'])}` };
}

/** Returns whether a folder contains the complete build of this version and content. */
export async function isBuilt(folder: string): Promise<boolean> {
  const { stamp } = await computeStamp();
  const found = await readFile(join(folder, STAMP_FILE), 'utf8').catch(() => '');
  if (found !== stamp || !['client', 'server'].every((name) => existsSync(join(folder, name)))) return false;
  const { nextArticleOn } = await readContent(folder);

  return nextArticleOn === undefined || nextArticleOn > getToday();
}

/** Builds the site and renders every page once. @throws if the content has mistakes or a step fails */
export async function buildInto(folder: string): Promise<void> {
  const { version, stamp } = await computeStamp();
  await rm(folder, { recursive: true, force: true });
  await showStep('Checking the content', () => writeContent(folder));
  await writeFile(join(folder, VERSION_FILE), version);
  // Separate processes free the bundler's memory and keep NODE_ENV=production out of this process. With more than two
  // malloc arenas, resizing pictures needs 200 MB more.
  const env = { ...process.env, MALLOC_ARENA_MAX: '2', NODE_ENV: 'production', SITE_BUILD: folder };
  const runScript = (name: string, script: string): Promise<void> =>
    runStep(name, process.execPath, [join(import.meta.dirname, script)], env);
  await runScript('Building the site', 'build-site.ts');
  await runScript('Rendering every page', 'render-every-page.ts');
  await writeFile(join(folder, STAMP_FILE), stamp);
}

function withBuildLock(work: () => Promise<void>): Promise<void> {
  return withLock('build', work, () => console.error('Waiting for another build in this folder to finish …'));
}

/** Builds dist/ unless it is up to date. Rejects if the build fails. */
export async function ensureBuilt(): Promise<void> {
  await withBuildLock(async () => {
    if (!(await isBuilt(builtInFolder))) await buildInto(builtInFolder);
  });
}

if (import.meta.main) {
  await runMain(async () => {
    await withBuildLock(() => buildInto(builtInFolder));
    printSamples(await readContent(builtInFolder));
  });
}
