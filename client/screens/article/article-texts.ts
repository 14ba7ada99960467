import type { ComponentType } from 'react';
import type { Heading } from '../../components/table-of-contents.tsx';
import type { ArticleComponents } from './article-components.tsx';

/** What the build makes of an article's file. */
export interface ArticleText {
  /** Its second-level headings. */
  readonly tableOfContents: readonly Heading[];
  readonly default: ComponentType<{ components: ArticleComponents }>;
}

const loaders = import.meta.glob<ArticleText>('../../../shared/content/articles/*.mdx');

const loadedTexts = new Map<string, ArticleText>();

/** Fetches an article's text, a chunk of its own; nothing where there is no such article. */
export async function loadArticleText(slug = ''): Promise<void> {
  const text = await loaders[`../../../shared/content/articles/${slug}.mdx`]?.();
  if (text) loadedTexts.set(slug, text);
}

/** The text, once it is loaded. */
export function getArticleText(slug = ''): ArticleText | undefined {
  return loadedTexts.get(slug);
}
