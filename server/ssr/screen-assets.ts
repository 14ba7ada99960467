import type { Manifest } from 'vite';
import type { ScreenAssets } from '../../shared/rendering.ts';
import { assetsPrefix } from '../../shared/paths.ts';

/** Modules whose files vite-plugin-ssr puts into every document by itself. */
const ENTRY_MODULES = ['pages/site/index.page.tsx', 'renderer/_default.page.client.tsx'];

function collectKeys(manifest: Manifest, key: string, into: Set<string>): void {
  if (into.has(key)) return;
  into.add(key);
  for (const imported of manifest[key]?.imports ?? []) collectKeys(manifest, imported, into);
}

function listFiles(manifest: Manifest, keys: Iterable<string>): ScreenAssets {
  const chunks = [...keys].flatMap((key) => manifest[key] ?? []);
  const toUrl = (file: string) => `${assetsPrefix.replace(/assets\/$/, '')}${file}`;

  return {
    scripts: chunks.map(({ file }) => toUrl(file)),
    styles: [...new Set(chunks.flatMap(({ css }) => css ?? []))].map(toUrl),
  };
}

/**
 * Finds what a screen needs besides the entry, from Vite's manifest: its own chunk and styles
 * and those of everything it imports. vite-plugin-ssr knows one page only and can't tell.
 */
export function makeScreenAssetFinder(manifest: Manifest): (file: string) => ScreenAssets {
  const entryKeys = new Set<string>();
  for (const module of ENTRY_MODULES) collectKeys(manifest, module, entryKeys);
  const entryStyles = new Set(listFiles(manifest, entryKeys).styles);
  const found = new Map<string, ScreenAssets>();

  return (file) => {
    const known = found.get(file);
    if (known) return known;

    const keys = new Set<string>();
    collectKeys(manifest, file, keys);
    const assets = listFiles(manifest, [...keys].filter((key) => !entryKeys.has(key)));
    const own = { ...assets, styles: assets.styles.filter((style) => !entryStyles.has(style)) };
    found.set(file, own);

    return own;
  };
}
