import { articleLoaders } from 'virtual:articles';
import type { ComponentType } from 'react';
import type { Article } from '../../../shared/content/article.ts';
import type { PictureFile } from '../../components/picture-source.ts';
import type { Heading } from '../../components/table-of-contents.tsx';
import type { ArticleComponents } from './article-components.tsx';

/** What a link to an article shows. */
export type ArticleLink = Pick<Article, 'slug' | 'title'>;

/** What stands around an article's text. */
export interface ArticleFrame {
  readonly article: Article & { readonly pictureFile: PictureFile };
  /** The one before it, from the newest to the oldest. */
  readonly previous?: ArticleLink | undefined;
  readonly next?: ArticleLink | undefined;
}

/** What the build makes of an article's file. */
export interface ArticleText {
  /** Its second-level headings. */
  readonly tableOfContents: readonly Heading[];
  readonly default: ComponentType<{ components: ArticleComponents }>;
}

/** A chunk of its own, so that a page knows no article but its own and its neighbors. */
export interface ArticleModule extends ArticleText {
  readonly frame: ArticleFrame;
}

interface ArticlePage {
  readonly frame: ArticleFrame;
  /** Undefined on the page the server sent: there the text stands in the document. */
  readonly text: ArticleText | undefined;
}

const knownPages = new Map<string, ArticlePage>();

/** Fetches an article; nothing where there is none. */
export async function loadArticle(slug = ''): Promise<void> {
  const module = await articleLoaders.get(slug)?.();
  if (module) knownPages.set(slug, { frame: module.frame, text: module });
}

/** Stores the document's data of the article that it contains. */
export function storeServedArticle(frame: ArticleFrame): void {
  knownPages.set(frame.article.slug, { frame, text: undefined });
}

/** The article, once it is loaded. */
export function findArticle(slug = ''): ArticlePage | undefined {
  return knownPages.get(slug);
}
