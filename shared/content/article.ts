import type { Article, ArticleFrontMatter } from './content-schema.ts';
import type { PageMeta } from './page-meta.ts';

/** The fields of an article used by its card and the listing's search. */
export type ListedArticle = Omit<Article, 'updatedOn' | 'pictureAlt' | 'hasEstimate'>;

/** Returns an article's fields for the listing. */
export function toListedArticle(article: Article): ListedArticle {
  const { updatedOn: _updatedOn, pictureAlt: _pictureAlt, hasEstimate: _hasEstimate, ...listed } = article;

  return listed;
}

/** Returns an article's metadata for search engines, tabs and shared links. */
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
