import { useEffect, useEffectEvent, useRef } from 'react';
import { useSearchParams } from 'react-router-dom';
import type { ListedArticle } from '../../../shared/content/article.ts';
import { articleCategories, type ArticleCategory } from '../../../shared/content/article-categories.ts';
import { insightsQuery } from '../../../shared/paths.ts';

/** A filter for the article listing. */
export interface ListingFilter {
  /** The search as typed. */
  readonly search: string;
  /** Undefined for all categories. */
  readonly category: ArticleCategory | undefined;
}

/** Returns the category with that name, or undefined for all categories. */
export const findCategory = (name: string | null | undefined): ArticleCategory | undefined =>
  articleCategories.find((known) => known === name);

/** Parses the filter from a URL. An unknown category means all categories. */
export function parseFilter(query: URLSearchParams): ListingFilter {
  return {
    search: query.get(insightsQuery.search) ?? '',
    category: findCategory(query.get(insightsQuery.category)),
  };
}

/** Returns the URL query for a filter. Empty if the filter selects all articles. */
export function toQuery({ search, category }: ListingFilter): URLSearchParams {
  return new URLSearchParams([
    ...(search.trim() === '' ? [] : [[insightsQuery.search, search]]),
    ...(category === undefined ? [] : [[insightsQuery.category, category]]),
  ]);
}

/** Returns the text in lower case without accents. */
function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase();
}

/** In characters. Normalization takes quadratic time on runs of combining marks. */
const MAX_SEARCH = 200;

/** Returns the articles in the category whose card or URL contains every search word. */
export function filterArticles(
  articles: readonly ListedArticle[],
  { search, category }: ListingFilter,
): readonly ListedArticle[] {
  const words = fold(search.slice(0, MAX_SEARCH)).match(/[\p{L}\p{N}]+/gu) ?? [];
  // A search with only punctuation matches nothing.
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

/** In milliseconds. Browsers limit how often the URL may change. */
const TYPING_PAUSE = 150;

/** Returns the URL's filter with refs and handlers for its fields. Typing updates the URL after a pause. */
export function useListingFilter() {
  const [query, setQuery] = useSearchParams();
  const filter = parseFilter(query);
  const searchRef = useRef<HTMLInputElement>(null);
  const categoryRef = useRef<HTMLSelectElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const apply = (next: ListingFilter) => {
    clearTimeout(timer.current);
    setQuery(toQuery(next), { replace: true });
  };
  const readTyped = () => searchRef.current?.value ?? filter.search;

  // Applies what was entered before hydration, when nothing was updating the URL.
  const applyEarlyInput = useEffectEvent(() => {
    const category = findCategory(categoryRef.current?.value);
    const early = { search: readTyped(), category };
    if (early.search !== filter.search || category !== filter.category) apply(early);
  });
  useEffect(() => {
    applyEarlyInput();

    return () => clearTimeout(timer.current);
  }, []);

  return {
    filter,
    searchRef,
    categoryRef,
    onType: () => {
      clearTimeout(timer.current);
      timer.current = setTimeout(
        () => apply({ ...filter, search: readTyped() }),
        TYPING_PAUSE,
      );
    },
    onChoose: (category: ListingFilter['category']) => apply({ search: readTyped(), category }),
    onSubmit: () => apply({ ...filter, search: readTyped() }),
    onClear: () => {
      apply({ search: '', category: undefined });
      if (!searchRef.current) return;
      searchRef.current.value = '';
      // The pressed button disappears along with its message.
      searchRef.current.focus();
    },
  };
}
