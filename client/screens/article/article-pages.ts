import { articleLoaders } from 'virtual:articles';
import type { ComponentType } from 'react';
import type { Article } from '../../../shared/content/content-schema.ts';
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
export interface ArticleModule {
  readonly frame: ArticleFrame;
  /** Its second-level headings. */
  readonly tableOfContents: readonly Heading[];
  readonly default: ComponentType<{ components: ArticleComponents }>;
}

const articles = new Map<string, ArticleModule>();

/** Loads an article on the server. @throws where there is none: the server should have responded with 404 */
export async function loadArticle(slug = ''): Promise<ArticleFrame> {
  const article = await articleLoaders.get(slug)?.();
  if (!article) throw new Error(`There is no article ${slug}.`);
  articles.set(slug, article);

  return article.frame;
}

/** The text of an article that is loaded. */
export function getArticle(slug: string): ArticleModule {
  const article = articles.get(slug);
  if (!article) throw new Error(`The article ${slug} is not loaded.`);

  return article;
}
