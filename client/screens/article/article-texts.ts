import type { ComponentType } from 'react';
import type { ArticleFrontMatter } from '../../../shared/content/front-matter.ts';
import type { PictureFile } from '../../components/picture-source.ts';
import type { Heading } from '../../components/table-of-contents.tsx';
import type { ArticleComponents } from './article-components.tsx';

/** What the build makes of an article's file. */
export interface ArticleText {
  /** Checked where `virtual:article-list` is made. */
  readonly frontmatter: ArticleFrontMatter;
  readonly picture: PictureFile;
  /** Its second-level headings. */
  readonly tableOfContents: readonly Heading[];
  readonly default: ComponentType<{ components: ArticleComponents }>;
}

/** Below the Vite root. */
const FOLDER = '../shared/content/articles/';

const loaders = import.meta.glob<ArticleText>('../../../shared/content/articles/*.mdx');

const loadedTexts = new Map<string, ArticleText>();

const findLoader = (slug: string) => loaders[`../../${FOLDER}${slug}.mdx`];

/** Path of the module with an article's text below the Vite root, if there is such an article. */
export function getArticleFile(slug = ''): string | undefined {
  return findLoader(slug) && `${FOLDER}${slug}.mdx`;
}

/** Fetches an article's text, a chunk of its own; nothing where there is no such article. */
export async function loadArticleText(slug = ''): Promise<void> {
  const text = await findLoader(slug)?.();
  if (text) loadedTexts.set(slug, text);
}

/** The text, once it is loaded; undefined where there is no such article. */
export function getArticleText(slug = ''): ArticleText | undefined {
  return loadedTexts.get(slug);
}
