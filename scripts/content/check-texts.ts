import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import mdx from '@mdx-js/rollup';
import rehypeSlug from 'rehype-slug';
import remarkFrontmatter from 'remark-frontmatter';
import { anchors as siteAnchors, pathTo, toCanonicalPath } from '../../shared/paths.ts';
import { listFiles } from './site-paths.ts';
import { findLine, type Mistake } from './yaml-file.ts';

/** In Markdown, in JSX, and in YAML the field `to`. */
const LINK = /(?<!!\[[^\]]*)\]\(([^)\s]*)|\bhref=["']([^"']*)|\bto:\s*["']?(\/[^\s"',}]*)/g;

const PICTURE = /!\[([^\]]*)\]\(([^)\s]*)/g;

const ELEMENT_WITHOUT_TEXT = /<img\b(?![^>]*\balt=(?:"[^"]|'[^']|\{))/g;

const ELSEWHERE = /^(?:https?:|mailto:|tel:)/;

/** What the site has, for links to it. */
export interface LinkTargets {
  /** Whether the site responds at a path of its own. */
  readonly exists: (path: string) => boolean;
  /** The anchors of pages whose anchors are known, by their paths. */
  readonly anchors: ReadonlyMap<string, readonly string[]>;
}

/** What is wrong with a link. @param page the path of the page it stands on, where that is known */
function findLinkError(target: string, page: string, { exists, anchors }: LinkTargets): string | undefined {
  const [, path = '', anchor] = /^([^?#]*)[^#]*(?:#([^:]+))?/.exec(target) ?? [];
  if (ELSEWHERE.test(target)) return undefined;
  if (!/^[/#]/.test(target)) return `the link "${target}" must begin with / or https://`;
  if (path !== '' && !exists(path)) return `there is no page ${target}`;
  const known = anchors.get(path === '' ? page : toCanonicalPath(path));

  return anchor === undefined || !known || [...known, siteAnchors.main].includes(anchor) ? undefined : `the page has no part #${anchor}`;
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

/** As much of an element of a text (https://github.com/syntax-tree/hast) as is read here. */
interface Element {
  readonly properties?: { readonly id?: unknown };
  /** Of a component. */
  readonly attributes?: readonly { readonly name: string; readonly value: unknown }[];
  readonly children?: readonly Element[];
}

/** The ids of headings, and those that the owner has given. */
function listIds({ properties, attributes = [], children = [] }: Element): string[] {
  const own = [properties?.id, attributes.find(({ name }) => name === 'id')?.value];

  return [...own.filter((id) => typeof id === 'string'), ...children.flatMap(listIds)];
}

/** The first error of Markdown with components, such as a tag that isn't closed. @param onIds takes the ids in it */
async function findSyntaxError(file: string, text: string, onIds: (ids: string[]) => void): Promise<Mistake[]> {
  const readIds = () => (tree: Element) => void onIds(listIds(tree));
  try {
    await mdx({ remarkPlugins: [remarkFrontmatter], rehypePlugins: [rehypeSlug, readIds] }).transform(text, file);

    return [];
  } catch (error) {
    if (!(error instanceof Error && 'reason' in error && 'line' in error)) throw error;
    const reason = String(error.reason);
    // Of a tag without its counterpart the sentence alone says where it is.
    const line = Number(error.line ?? /\((\d+):\d+/.exec(reason)?.[1] ?? 1);

    return [{ file, line, message: `is not valid MDX: ${reason}` }];
  }
}

/** The path of the page a text is shown on. */
const findPage = (file: string): string => {
  const slug = basename(file, '.mdx');

  return file.startsWith('articles/') ? pathTo.article(slug) : `/${slug}`;
};

/** Finds dead links, pictures without an alternative text, and broken Markdown in the owner's texts. */
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
