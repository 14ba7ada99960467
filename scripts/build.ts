import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { glob, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { writeContent } from './content/load-content.ts';
import { withLock } from './lock.mjs';
import { projectRoot } from './processes.ts';
import { runMain, runStep } from './run-step.ts';

/** Of `shared/node` only the content, which pages import. */
const INPUTS = [
  ...['content/**', 'client/**', 'shared/*', 'shared/!(node)/**', 'shared/node/content/**'],
  ...['scripts/{content,vite}/**', 'scripts/{build-site,sharing-pictures}.ts'],
  ...['vite.config.ts', 'package-lock.json', 'tsconfig.json', 'tsconfig.base.json'],
];
const dist = join(projectRoot, 'dist');
const stampFile = join(dist, '.build-stamp');

/** The files that a build reads, by their paths below the project's root: what else changes needs no new build. */
async function listInputs(): Promise<string[]> {
  const files: string[] = [];
  // Tests are no part of what is built.
  const exclude = ['**/*.test.{ts,tsx}'];
  for await (const entry of glob(INPUTS, { cwd: projectRoot, withFileTypes: true, exclude })) {
    if (entry.isFile()) files.push(relative(projectRoot, join(entry.parentPath, entry.name)));
  }
  return files.sort();
}

async function computeStamp(): Promise<string> {
  const hash = createHash('sha256');
  for (const file of await listInputs()) {
    const content = await readFile(join(projectRoot, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

async function isBuilt(stamp: string): Promise<boolean> {
  const found = await readFile(stampFile, 'utf8').catch(() => '');
  return found === stamp && ['client', 'server'].every((name) => existsSync(join(dist, name)));
}

async function build(stamp: string): Promise<void> {
  await rm(dist, { recursive: true, force: true });
  await writeContent();
  // Processes of their own: the bundler's memory and NODE_ENV=production end with them.
  const runScript = (name: string, script: string): Promise<void> =>
    runStep(name, process.execPath, [join(import.meta.dirname, script)], { ...process.env, NODE_ENV: 'production' });
  await runScript('Building the site', 'build-site.ts');
  await runScript('Rendering every page', 'render-every-page.ts');
  await writeFile(stampFile, stamp);
}

function withBuildLock(work: () => Promise<void>): Promise<void> {
  return withLock('build', work, () => console.error('Waiting for another build in this folder to finish …'));
}

/** Builds dist/client and dist/server unless they are up to date; rejects when the build fails. */
export async function ensureBuilt(): Promise<void> {
  await withBuildLock(async () => {
    const stamp = await computeStamp();
    if (!(await isBuilt(stamp))) await build(stamp);
  });
}

if (import.meta.main) await runMain(() => withBuildLock(async () => build(await computeStamp())));
