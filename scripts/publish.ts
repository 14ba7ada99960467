import { readFile, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { CURRENT_LINK, findBuild, followLink, getVersionFolder, PREVIOUS_LINK } from '../shared/node/content/build-folder.ts';
import { isBuilt } from './build.ts';
import { loadContent } from './content/load-content.ts';
import { printSamples, showSamples } from './content/print-samples.ts';
import { ContentError } from './content/yaml-file.ts';
import { showStep } from './progress.mjs';
import { mailResult } from './publish/mail-result.ts';
import { preview } from './publish/preview.ts';
import { completeBuild, listVersions, makeBuild, switchTo } from './publish/published-builds.ts';
import { runMain } from './run-step.ts';

/** Written by the kernel for a container: the most memory it had at once, in bytes. */
const PEAK_FILE = '/sys/fs/cgroup/memory.peak';

async function check(): Promise<string> {
  const { samples } = await showStep('Checking the content', () => loadContent());
  showSamples(samples);

  return 'The content has no mistakes.';
}

async function showMemory(): Promise<void> {
  const peak = await readFile(PEAK_FILE, 'utf8').catch(() => undefined);
  if (peak) console.log(`The most memory it used was ${Math.ceil(Number(peak) / 1e6)} MB.`);
}

const PUBLISHED = 'Published.';

/** @returns what has become of the site */
async function publish(): Promise<string> {
  if (await isBuilt(findBuild())) return 'The site has this content already.';
  console.log('Building needs up to 2 GB of memory.');
  const build = await completeBuild(await makeBuild());
  await switchTo(build).catch(async (error: unknown) => {
    await rm(build, { recursive: true });
    throw error;
  });
  await showMemory();
  await printSamples(build);

  return PUBLISHED;
}

async function showPreview(): Promise<string> {
  const build = await makeBuild();
  await preview(build).finally(() => rm(build, { recursive: true }));

  return 'The preview has ended; the site is as it was.';
}

async function goBack(): Promise<string> {
  const build = followLink(PREVIOUS_LINK);
  if (!build || build === findBuild()) throw new Error('There is no build before this one.');
  await switchTo(build);

  return 'The site is of the build before again.';
}

/** Publishes with this version what was published with the one before. */
async function upgrade(): Promise<string> {
  const [latest] = await listVersions();
  if (latest === undefined) return 'Nothing was published so far: the site keeps the content that it has.';
  const own = followLink(CURRENT_LINK);
  try {
    return await publish();
  } catch (error) {
    // Back to the version before, which may not know what the content has now.
    if (!(error instanceof ContentError) || !own || latest === basename(getVersionFolder())) throw error;
    console.error(error.message);

    return 'This version refuses the content, see above. It keeps what it published last.';
  }
}

/** Publishes, and mails what has come of it. */
async function publishAndMail(): Promise<string> {
  try {
    const result = await publish();
    if (result === PUBLISHED) await mailResult('The site was published', 'Your changes are on the site.');

    return result;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    await mailResult('Your changes were not published', `The site is as it was.\n\n${reason}`);
    throw error;
  }
}

/** By the option. */
const modes: Readonly<Record<string, () => Promise<string>>> = {
  '--check': check,
  '--preview': showPreview,
  '--back': goBack,
  '--upgrade': upgrade,
  '--mail': publishAndMail,
};

/** Publishes the content of CONTENT_DIR. Called by publish.sh, which lets one run at a time. */
await runMain(async () => console.log(await (modes[process.argv[2] ?? ''] ?? publish)()));
