import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type { Manifest } from 'vite';
import { buildFolder } from '../../shared/node/content/build-folder.ts';
import { getErrorCode, SiteError } from '../../shared/node/logging/describe-error.ts';
import type { CheckedFile, CriticalStyles, DocumentAssets } from '../../shared/document-assets.ts';

const START_MODULE = 'start.ts';
/** Name of the chunk that every page needs (vite.config.ts). */
const APP_CHUNK = 'app';
const STYLE_KEY = 'style.css';

const toUrl = (file: string) => `/${file}`;

async function readBuiltFile(name: string): Promise<string> {
  return readFile(join(buildFolder, name), 'utf8').catch((error: unknown) => {
    if (getErrorCode(error) !== 'ENOENT') throw error;
    throw new SiteError('The site is not built: run "npm run build" first.');
  });
}

/** Returns a built file's URL and the hash that lets browsers reject a changed file. */
async function checkFile(url: string): Promise<CheckedFile> {
  const content = await readBuiltFile(join('client', url));

  return {
    url,
    integrity: `sha384-${createHash('sha384').update(content).digest('base64')}`,
  };
}

function collectKeys(manifest: Manifest, key: string, into: Set<string>): Set<string> {
  if (into.has(key)) return into;
  into.add(key);
  for (const imported of manifest[key]?.imports ?? []) collectKeys(manifest, imported, into);

  return into;
}

function getFile(manifest: Manifest, key: string): string {
  const file = manifest[key]?.file;
  if (!file) throw new SiteError(`The build has no ${key}.`);

  return toUrl(file);
}

const findKeyByName = (manifest: Manifest, name: string): string | undefined =>
  Object.keys(manifest).find((key) => manifest[key]?.name === name);

/** Returns the key of a screen's chunk: its file, or Rollup's name for it if other chunks import parts of it. */
const findScreenKey = (manifest: Manifest, file: string): string =>
  manifest[file] ? file : (findKeyByName(manifest, basename(file, extname(file))) ?? file);

function makeScreenScriptFinder(manifest: Manifest): DocumentAssets['findScreenScripts'] {
  const started = collectKeys(manifest, START_MODULE, new Set());
  const appKey = findKeyByName(manifest, APP_CHUNK);
  if (appKey === undefined) throw new SiteError(`The build has no chunk named ${APP_CHUNK}.`);

  return (file) =>
    [...collectKeys(manifest, findScreenKey(manifest, file), new Set([appKey]))]
      .filter((key) => !started.has(key))
      .map((key) => getFile(manifest, key));
}

function listClasses(markup: string): ReadonlySet<string> {
  // Each value occurs many times, so duplicates are removed before splitting.
  const attributes = new Set(markup.match(/ class="[^"]*"/g));

  return new Set([...attributes].flatMap((attribute) => attribute.slice(8, -1).split(' ')));
}

function pickCriticalStyles({ forAll, byClass, layer }: CriticalStyles, markup: string): string {
  const classes = listClasses(markup);
  const rules = byClass.filter((rule) => rule.classes.some((name) => classes.has(name)));

  return `${forAll}@layer ${layer}{${rules.map(({ css }) => css).join('')}}`;
}

/** Reads the files of a build. @throws SiteError if the site isn't built */
export async function readBuiltAssets(): Promise<DocumentAssets> {
  const manifest = JSON.parse(await readBuiltFile('assets.json')) as Manifest;
  const criticalStyles = JSON.parse(await readBuiltFile('critical-styles.json')) as CriticalStyles;
  const vignetteClasses = new Set(criticalStyles.vignettes.classes);
  const sharingPictures = JSON.parse(await readBuiltFile('sharing-pictures.json')) as Readonly<
    Record<string, string>
  >;

  return {
    pickCriticalStyles: (markup) => pickCriticalStyles(criticalStyles, markup),
    styleSheet: await checkFile(getFile(manifest, STYLE_KEY)),
    vignetteSheet: {
      ...(await checkFile(toUrl(criticalStyles.vignettes.file))),
      isFor: (body) => [...listClasses(body)].some((name) => vignetteClasses.has(name)),
    },
    startScript: await checkFile(getFile(manifest, START_MODULE)),
    findScreenScripts: makeScreenScriptFinder(manifest),
    findSharingPicture: (path) => sharingPictures[path],
  };
}

/** Assets for development, where Vite serves scripts and their styles from source. */
export const sourceAssets: DocumentAssets = {
  pickCriticalStyles: undefined,
  styleSheet: undefined,
  vignetteSheet: undefined,
  startScript: { url: `/${START_MODULE}`, integrity: undefined },
  findScreenScripts: () => [],
  findSharingPicture: () => undefined,
};
