import type { Article } from '../../../shared/content/article.ts';
import { articleCategories, type ArticleCategory } from '../../../shared/content/article-categories.ts';
import { insightsQuery } from '../../../shared/paths.ts';

/** What a visitor looks for among the articles. */
export interface ListingFilter {
  /** As it was typed. */
  readonly search: string;
  /** Undefined: all of them. */
  readonly category: ArticleCategory | undefined;
}

/** The category of that name; undefined, which means all, where there is none. */
export const findCategory = (name: string | null | undefined): ArticleCategory | undefined =>
  articleCategories.find((known) => known === name);

/** Reads a filter from an address; a category that isn't one means all. */
export function readFilter(query: URLSearchParams): ListingFilter {
  return {
    search: query.get(insightsQuery.search) ?? '',
    category: findCategory(query.get(insightsQuery.category)),
  };
}

/** The query of the address that shows what the filter lets through; empty for everything. */
export function writeFilter({ search, category }: ListingFilter): URLSearchParams {
  return new URLSearchParams([
    ...(search.trim() === '' ? [] : [[insightsQuery.search, search]]),
    ...(category === undefined ? [] : [[insightsQuery.category, category]]),
  ]);
}

/** Without case and accents, so that what is typed in a hurry finds what was set with care. */
function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase();
}

/** The articles of the category whose card or address has every word. */
export function filterArticles(
  articles: readonly Article[],
  { search, category }: ListingFilter,
): readonly Article[] {
  const words = fold(search).match(/[\p{L}\p{N}]+/gu) ?? [];
  // Signs without a word match nothing rather than everything.
  if (words.length === 0 && search.trim() !== '') return [];

  return articles.filter((article) => {
    const { slug, title, excerpt, label, author } = article;
    const text = fold([slug, title, excerpt, article.category, label, author].join(' '));

    return (
      (category === undefined || article.category === category) &&
      words.every((word) => text.includes(word))
    );
  });
}
