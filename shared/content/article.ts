import type { Article, ArticleFrontMatter } from './content-schema.ts';
import type { PageMeta } from './page-meta.ts';

/** What an article's card shows, and what the listing's search reads. */
export type ListedArticle = Omit<Article, 'updatedOn' | 'pictureAlt' | 'hasEstimate'>;

/** The listing's part of an article. */
export function toListedArticle(article: Article): ListedArticle {
  const { updatedOn: _updatedOn, pictureAlt: _pictureAlt, hasEstimate: _hasEstimate, ...listed } = article;

  return listed;
}

/** What search engines, browser tabs and shared links read of an article. */
export function getArticleMeta({
  title,
  excerpt,
  label,
  category,
  author,
  date,
  updatedOn = date,
}: ArticleFrontMatter): PageMeta {
  return {
    title,
    description: excerpt,
    updatedOn,
    article: { publishedOn: date, author, section: label ?? category },
  };
}
