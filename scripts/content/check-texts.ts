import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import mdx from '@mdx-js/rollup';
import rehypeSlug from 'rehype-slug';
import remarkFrontmatter from 'remark-frontmatter';
import { anchors as siteAnchors, pathTo, toCanonicalPath } from '../../shared/paths.ts';
import { listFiles } from './site-paths.ts';
import { findLine, type Mistake } from './yaml-file.ts';

/** A link in Markdown, in JSX, or in the YAML field `to`. */
const LINK = /(?<!!\[[^\]]*)\]\(([^)\s]*)|\bhref=["']([^"']*)|\bto:\s*["']?(\/[^\s"',}]*)/g;

const PICTURE = /!\[([^\]]*)\]\(([^)\s]*)/g;

const ELEMENT_WITHOUT_TEXT = /<img\b(?![^>]*\balt=(?:"[^"]|'[^']|\{))/g;

const EXTERNAL_LINK = /^(?:https?:|mailto:|tel:)/;

/** Targets of internal links. */
export interface LinkTargets {
  /** Whether the site serves this path. */
  readonly exists: (path: string) => boolean;
  /** Anchors by path. Pages with unknown anchors have no entry. */
  readonly anchors: ReadonlyMap<string, readonly string[]>;
}

/** Returns the mistake in a link, if any. @param page path of the page that contains the link */
function findLinkError(target: string, page: string, { exists, anchors }: LinkTargets): string | undefined {
  const [, path = '', anchor] = /^([^?#]*)[^#]*(?:#([^:]+))?/.exec(target) ?? [];
  if (EXTERNAL_LINK.test(target)) return undefined;
  if (!/^[/#]/.test(target)) return `the link "${target}" must begin with / or https://`;
  if (path !== '' && !exists(path)) return `there is no page ${target}`;
  const known = anchors.get(path === '' ? page : toCanonicalPath(path));

  return anchor === undefined || !known || [...known, siteAnchors.main].includes(anchor) ? undefined : `the page has no anchor #${anchor}`;
}

function* findMistakes(text: string, page: string, targets: LinkTargets): Generator<{ readonly index: number; readonly message: string }> {
  for (const { index, 1: markdown, 2: element, 3: field } of text.matchAll(LINK)) {
    const message = findLinkError(markdown ?? element ?? field ?? '', page, targets);
    if (message) yield { index, message };
  }
  for (const { index, 1: alternative = '', 2: source = '' } of text.matchAll(PICTURE)) {
    if (alternative.trim() === '') yield { index, message: `the picture ${source} has no alternative text` };
    if (!source.startsWith('/') || !targets.exists(source)) yield { index, message: `there is no picture ${source} in content/static` };
  }
  for (const { index } of text.matchAll(ELEMENT_WITHOUT_TEXT)) yield { index, message: 'the picture has no alternative text' };
}

/** The part of an element's syntax tree that is used here (https://github.com/syntax-tree/hast). */
interface Element {
  readonly properties?: { readonly id?: unknown };
  /** A component's attributes. */
  readonly attributes?: readonly { readonly name: string; readonly value: unknown }[];
  readonly children?: readonly Element[];
}

/** Returns the ids of headings and of elements that the owner wrote. */
function listIds({ properties, attributes = [], children = [] }: Element): string[] {
  const own = [properties?.id, attributes.find(({ name }) => name === 'id')?.value];

  return [...own.filter((id) => typeof id === 'string'), ...children.flatMap(listIds)];
}

/** Returns the first syntax error in an MDX text, such as an unclosed tag. @param onIds receives the ids in the text */
async function findSyntaxError(file: string, text: string, onIds: (ids: string[]) => void): Promise<Mistake[]> {
  const readIds = () => (tree: Element) => void onIds(listIds(tree));
  try {
    await mdx({ remarkPlugins: [remarkFrontmatter], rehypePlugins: [rehypeSlug, readIds] }).transform(text, file);

    return [];
  } catch (error) {
    if (!(error instanceof Error && 'reason' in error && 'line' in error)) throw error;
    const reason = String(error.reason);
    // For an unclosed tag, only the error message gives the line.
    const line = Number(error.line ?? /\((\d+):\d+/.exec(reason)?.[1] ?? 1);

    return [{ file, line, message: `is not valid MDX: ${reason}` }];
  }
}

/** Returns the path of the page that shows a text. */
const findPage = (file: string): string => {
  const slug = basename(file, '.mdx');

  return file.startsWith('articles/') ? pathTo.article(slug) : `/${slug}`;
};

/** Finds dead links, pictures without alternative text, and invalid MDX in the owner's texts. */
export async function checkTexts(folder: string, { exists, anchors: own }: LinkTargets): Promise<Mistake[]> {
  const anchors = new Map(own);
  const files = listFiles(folder).filter((file) => /\.(?:mdx|yaml)$/.test(file) && !file.startsWith('static/'));
  const texts = await Promise.all(files.map(async (file) => ({ file, page: findPage(file), text: await readFile(join(folder, file), 'utf8') })));
  const errors = texts
    .filter(({ file }) => file.endsWith('.mdx'))
    .map(({ file, page, text }) =>
      findSyntaxError(file, text, (ids) => anchors.set(page, [...(own.get(page) ?? []), ...ids])),
    );
  const broken = (await Promise.all(errors)).flat();
  const mistakes = texts.flatMap(({ file, page, text }) =>
    [...findMistakes(text, page, { exists, anchors })].map(({ index, message }) => ({ file, message, line: findLine(text, index) })),
  );

  return [...mistakes, ...broken];
}
