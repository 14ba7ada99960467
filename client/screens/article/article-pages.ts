import { articleLoaders } from 'virtual:articles';
import type { ComponentType } from 'react';
import type { Article } from '../../../shared/content/content-schema.ts';
import type { PictureFile } from '../../components/picture-source.ts';
import type { Heading } from '../../components/table-of-contents.tsx';
import type { ArticleComponents } from './article-components.tsx';

export type ArticleLink = Pick<Article, 'slug' | 'title'>;

/** An article without its text. */
export interface ArticleFrame {
  readonly article: Article & { readonly pictureFile: PictureFile };
  /** The next newer article. */
  readonly previous?: ArticleLink | undefined;
  readonly next?: ArticleLink | undefined;
}

/** The module the build generates from an article's file. */
export interface ArticleModule {
  readonly frame: ArticleFrame;
  /** Second-level headings. */
  readonly tableOfContents: readonly Heading[];
  readonly default: ComponentType<{ components: ArticleComponents }>;
}

const articles = new Map<string, ArticleModule>();

/** Loads an article on the server and returns its frame. @throws if it doesn't exist; callers must check first */
export async function loadArticle(slug = ''): Promise<ArticleFrame> {
  const article = await articleLoaders.get(slug)?.();
  if (!article) throw new Error(`There is no article ${slug}.`);
  articles.set(slug, article);

  return article.frame;
}

/** Returns an article that `loadArticle` has loaded. */
export function getArticle(slug: string): ArticleModule {
  const article = articles.get(slug);
  if (!article) throw new Error(`The article ${slug} is not loaded.`);

  return article;
}
