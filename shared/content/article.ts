import type { ArticleFrontMatter } from './front-matter.ts';
import type { PageMeta } from './page-meta.ts';

/** An article without its text: what its card and every list of articles show. */
export interface Article extends ArticleFrontMatter {
  /** Last part of its address; the name of its file. */
  readonly slug: string;
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
