import { readFile, readdir, rename, writeFile } from 'node:fs/promises';
import { constants as system, getPriority, setPriority } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build, type Manifest } from 'vite';
import { buildFolder } from '../shared/node/content/build-folder.ts';
import { assetsPrefix } from '../shared/paths.ts';
import { contentFolder } from './content/load-content.ts';
import { projectRoot } from './processes.ts';
import { buildSharingPictures } from './sharing-pictures.ts';
import { CRITICAL_STYLES_FILE } from './vite/critical-styles.ts';

const TEXT_ASSET = /\.(js|css|svg|json|txt|xml|webmanifest|html)$/;
const MIN_COMPRESSED_BYTES = 1024;

async function compressAsset(file: string): Promise<void> {
  const content = await readFile(file);
  if (content.length <= MIN_COMPRESSED_BYTES) return;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  const brotli = await promisify(brotliCompress)(content, { params });
  if (brotli.length < content.length) await writeFile(`${file}.br`, brotli);
  const gzipped = await promisify(gzip)(content, { level: 9 });
  if (gzipped.length < content.length) await writeFile(`${file}.gz`, gzipped);
}

async function compressAssets(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const assets = entries.filter((entry) => entry.isFile() && TEXT_ASSET.test(entry.name));
  await Promise.all(assets.map((asset) => compressAsset(join(asset.parentPath, asset.name))));
}

/** Moves the critical CSS out of the public folder. Pages inline it. */
async function moveCriticalStyles(): Promise<void> {
  await rename(join(clientFolder, CRITICAL_STYLES_FILE), join(buildFolder, CRITICAL_STYLES_FILE));
}

/** Removes pictures from the manifest. It names only one file per picture, and which one varies between builds. */
async function dropPicturesFromManifest(): Promise<void> {
  const file = join(buildFolder, 'assets.json');
  const pictures = relative(join(projectRoot, 'client'), join(contentFolder, 'pictures/'));
  const manifest = JSON.parse(await readFile(file, 'utf8')) as Manifest;
  const kept = Object.entries(manifest).filter(([key]) => !key.startsWith(pictures));
  await writeFile(file, JSON.stringify(Object.fromEntries(kept), null, 2));
}

async function writeSharingPictures(): Promise<void> {
  const files = await buildSharingPictures(assetsFolder);
  const urls = Object.fromEntries(
    Object.entries(files).map(([path, file]) => [path, `${assetsPrefix}${file}`]),
  );
  await writeFile(join(buildFolder, 'sharing-pictures.json'), JSON.stringify(urls));
}

const settings = {
  configFile: join(projectRoot, 'vite.config.ts'),
  logLevel: 'warn',
} as const;

const clientFolder = join(buildFolder, 'client');
const assetsFolder = join(clientFolder, 'assets');

// Lower the priority so the build doesn't slow down tests that run in parallel.
setPriority(Math.max(getPriority(), system.priority.PRIORITY_BELOW_NORMAL));

await build(settings);
await build({ ...settings, build: { ssr: true } });
await moveCriticalStyles();
await dropPicturesFromManifest();
await writeSharingPictures();
await compressAssets(clientFolder);
