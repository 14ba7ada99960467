import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  anchors,
  assetsPrefix,
  iconPaths,
  pathTo,
  routePatterns,
  siteFilePaths,
  toCanonicalPath,
  uncrawledPrefixes,
} from '../../shared/paths.ts';
import type { Mistake } from './yaml-file.ts';

const { newsletter, ...pagePatterns } = routePatterns;

const { png, ...icons } = iconPaths;

/** Paths of files that web or the build generates. */
const servedFiles: readonly string[] = [...Object.values(siteFilePaths), ...Object.values(icons), ...Object.values(png)];

const servedPrefixes = ['/health/', assetsPrefix, `${routePatterns.industries}/`, ...uncrawledPrefixes];

/** Returns the names of a folder's files without their extensions, or nothing if the folder is missing. */
export const listSlugs = (folder: string, extension: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((file) => file.endsWith(extension))
        .map((file) => file.slice(0, -extension.length))
        .sort()
    : [];

/** Returns the relative paths of all files below a folder, or nothing if the folder is missing. */
export const listFiles = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
        .sort()
    : [];

const listPages = (folder: string, hiddenSlugs: readonly string[]): string[] => [
  ...Object.values(pagePatterns).filter((pattern) => !/[:*]/.test(pattern) && pattern !== routePatterns.imprint),
  ...(existsSync(join(folder, 'legal', 'imprint.mdx')) ? [routePatterns.imprint] : []),
  ...listSlugs(join(folder, 'solutions'), '.yaml').map(pathTo.solution),
  ...listSlugs(join(folder, 'articles'), '.mdx')
    .filter((slug) => !hiddenSlugs.includes(slug))
    .map(pathTo.article),
];

const pageAnchors: readonly (readonly [path: string, anchors: readonly string[]])[] = [
  [routePatterns.home, [anchors.solutions]],
  [routePatterns.about, [anchors.story, anchors.corePrinciples]],
  [routePatterns.contact, [anchors.request]],
  [routePatterns.insights, [anchors.newsletter]],
];

/** Returns each page's anchors by path, except those of headings in texts. @param pages solutions and articles */
export const listAnchors = (pages: ReadonlyArray<{ readonly path: string; readonly hasEstimate: boolean }>) =>
  new Map([
    ...pageAnchors,
    ...pages.map(({ path, hasEstimate }) => [path, hasEstimate ? [anchors.estimate] : []] as const),
  ]);

/** The paths on a site built from a folder. */
export interface SitePaths {
  /** Whether a page or file exists at this path. */
  readonly exists: (path: string) => boolean;
  /** Whether a redirect at this path would hide a page, an endpoint or a file. */
  readonly isTaken: (path: string) => boolean;
}

/**
 * Finds the paths of all pages and files.
 * @param hiddenSlugs slugs of articles that are not shown
 * @param mistakes receives files in `static/` that would hide one of the site's pages or files
 */
export function findSitePaths(folder: string, hiddenSlugs: readonly string[], mistakes: Mistake[]): SitePaths {
  const served = new Set([...listPages(folder, hiddenSlugs), ...servedFiles]);
  const isServed = (path: string) =>
    served.has(path) || path === newsletter || servedPrefixes.some((prefix) => path.startsWith(prefix));
  const files = listFiles(join(folder, 'static'));
  for (const file of files) {
    if (isServed(toCanonicalPath(`/${file}`))) mistakes.push({ file: `static/${file}`, message: 'has the same address as a page or file of the site' });
  }
  const staticPaths = new Set(files.map((file) => toCanonicalPath(encodeURI(`/${file}`))));

  return {
    exists: (path) => {
      const canonical = toCanonicalPath(path);

      return served.has(canonical) || staticPaths.has(canonical) || canonical.startsWith(`${routePatterns.industries}/`);
    },
    isTaken: (path) => isServed(path) || staticPaths.has(path),
  };
}
