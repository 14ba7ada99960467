import { readFile, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { CURRENT_LINK, findBuild, followLink, getVersionFolder, PREVIOUS_LINK } from '../shared/node/content/build-folder.ts';
import { isBuilt } from './build.ts';
import { loadContent, readContent } from './content/load-content.ts';
import { printSamples } from './content/print-samples.ts';
import { ContentError } from './content/yaml-file.ts';
import { showStep } from './progress.mjs';
import { mailResult } from './publish/mail-result.ts';
import { preview } from './publish/preview.ts';
import { completeBuild, listVersions, makeBuild, switchTo } from './publish/published-builds.ts';
import { runMain } from './run-step.ts';

/** The container's peak memory in bytes, written by the kernel. */
const PEAK_FILE = '/sys/fs/cgroup/memory.peak';

async function check(): Promise<string> {
  printSamples(await showStep('Checking the content', () => loadContent()));

  return 'The content has no mistakes.';
}

async function showMemory(): Promise<void> {
  const peak = await readFile(PEAK_FILE, 'utf8').catch(() => undefined);
  if (peak) console.log(`Peak memory: ${Math.ceil(Number(peak) / 1e6)} MB.`);
}

const PUBLISHED = 'Published.';

/** Builds and publishes the content. Like the other modes, returns a message about the result. */
async function publish(): Promise<string> {
  if (await isBuilt(findBuild())) return 'The site already has this content.';
  console.log('Building needs up to 2 GB of memory.');
  const build = await completeBuild(await makeBuild());
  await switchTo(build).catch(async (error: unknown) => {
    await rm(build, { recursive: true });
    throw error;
  });
  await showMemory();
  printSamples(await readContent(build));

  return PUBLISHED;
}

async function showPreview(): Promise<string> {
  const build = await makeBuild();
  await preview(build).finally(() => rm(build, { recursive: true }));

  return 'The preview has ended. The site has not changed.';
}

async function goBack(): Promise<string> {
  const build = followLink(PREVIOUS_LINK);
  if (!build || build === findBuild()) throw new Error('There is no previous build.');
  await switchTo(build);

  return 'The site is back on the previous build.';
}

/** Publishes the content with this version if anything has been published before. */
async function upgrade(): Promise<string> {
  const [latest] = await listVersions();
  if (latest === undefined) return 'Nothing has been published yet. The site will show the content built into this version.';
  const own = followLink(CURRENT_LINK);
  try {
    return await publish();
  } catch (error) {
    // After a downgrade, the older version may not know all fields.
    if (!(error instanceof ContentError) || !own || latest === basename(getVersionFolder())) throw error;
    console.error(error.message);

    return 'This version rejects the content (see above) and still serves the last build it published.';
  }
}

/** Publishes, and mails the result. */
async function publishAndMail(): Promise<string> {
  try {
    const result = await publish();
    if (result === PUBLISHED) await mailResult('The site was published', 'Your changes are on the site.');

    return result;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    await mailResult('Your changes were not published', `The site has not changed.\n\n${reason}`);
    throw error;
  }
}

/** Modes by command-line option. */
const modes: Readonly<Record<string, () => Promise<string>>> = {
  '--check': check,
  '--preview': showPreview,
  '--back': goBack,
  '--upgrade': upgrade,
  '--mail': publishAndMail,
};

/** Publishes the content of CONTENT_DIR. publish.sh prevents concurrent runs. */
await runMain(async () => console.log(await (modes[process.argv[2] ?? ''] ?? publish)()));
