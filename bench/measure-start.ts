import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../scripts/processes.ts';
import { routePatterns } from '../shared/paths.ts';
import { compareInTurns } from './compare.ts';
import { fetchAnswer } from './fetch-answer.ts';
import { startPinnedServer, type Environment } from './pinned-process.ts';
import type { AtEnd } from './run-part.ts';

export const START_REPEATS = 7;

/** What `fetch` says, which asks a starting server. */
const ASKED = { 'accept-encoding': 'gzip, deflate' };

export const webArgs = [join(projectRoot, 'server', 'main.ts')];
const baselineFile = join(import.meta.dirname, 'baselines', 'plain-fastify.ts');

/** A start: milliseconds to the first 200 and of processor time until then, and MiB after it. */
export type StartFigures = Readonly<Record<'ms' | 'cpuMs' | 'mib', number>>;

interface Starter {
  readonly args: readonly string[];
  readonly settings: Environment;
}

/** The baseline and the site, in one way to start them. */
export interface StartComparison {
  readonly baseline: StartFigures;
  readonly site: StartFigures;
}

async function measureStart({ args, settings }: Starter): Promise<StartFigures> {
  const server = await startPinnedServer(args, settings);
  try {
    return { ms: server.startMs, cpuMs: await server.readCpuMs(), mib: await server.readMemoryMib() };
  } finally {
    await server.stop();
  }
}

/** The same with Node's compile cache, filled by one start as the image's is (Dockerfile). */
async function addCompileCache({ args, settings }: Starter, folder: string): Promise<Starter> {
  const cached = { args, settings: { ...settings, NODE_COMPILE_CACHE: folder } };
  await measureStart(cached);

  return cached;
}

async function copyHome(settings: Environment, file: string): Promise<void> {
  const server = await startPinnedServer(webArgs, settings);
  try {
    const answer = await fetchAnswer(server.origin + routePatterns.home, ASKED);
    await writeFile(file, JSON.stringify(answer));
  } finally {
    await server.stop();
  }
}

/**
 * Starts the site and the baseline in turns, with Node's compile cache as in the image and without
 * it.
 * @param settings of the site
 */
export async function compareStarts(settings: Environment, atEnd: AtEnd) {
  const folder = await mkdtemp(join(tmpdir(), 'bench-start-'));
  atEnd(() => rm(folder, { recursive: true }));
  const copy = join(folder, 'home.json');
  await copyHome(settings, copy);
  const starters: readonly [Starter, Starter] = [
    { args: [baselineFile], settings: { ANSWER: copy } },
    { args: webArgs, settings },
  ];
  const cached = [
    await addCompileCache(starters[0], join(folder, 'baseline-cache')),
    await addCompileCache(starters[1], join(folder, 'site-cache')),
  ];
  const [baseline, site, cachedBaseline, cachedSite] = await compareInTurns(
    [...starters, ...cached],
    measureStart,
    START_REPEATS,
  );
  if (!baseline || !site || !cachedBaseline || !cachedSite) throw new Error('Nothing was measured.');

  return {
    asInTheImage: { baseline: cachedBaseline, site: cachedSite } satisfies StartComparison,
    withoutCache: { baseline, site } satisfies StartComparison,
  };
}
