import { useEffect, useEffectEvent, useRef } from 'react';
import { useSearchParams } from 'react-router-dom';
import type { ListedArticle } from '../../../shared/content/article.ts';
import { articleCategories, type ArticleCategory } from '../../../shared/content/article-categories.ts';
import { insightsQuery } from '../../../shared/paths.ts';

/** Which articles a visitor searches for. */
export interface ListingFilter {
  /** As it was typed. */
  readonly search: string;
  /** Undefined: all of them. */
  readonly category: ArticleCategory | undefined;
}

/** The category of that name; undefined, which means all, where there is none. */
export const findCategory = (name: string | null | undefined): ArticleCategory | undefined =>
  articleCategories.find((known) => known === name);

/** Parses the filter of an address; an unknown category means all. */
export function parseFilter(query: URLSearchParams): ListingFilter {
  return {
    search: query.get(insightsQuery.search) ?? '',
    category: findCategory(query.get(insightsQuery.category)),
  };
}

/** The query of the address that shows what the filter lets through; empty for everything. */
export function toQuery({ search, category }: ListingFilter): URLSearchParams {
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

/** Characters of a search that count: what folding takes grows by the square of the marks in a row. */
const MAX_SEARCH = 200;

/** The articles of the category whose card or address has every word. */
export function filterArticles(
  articles: readonly ListedArticle[],
  { search, category }: ListingFilter,
): readonly ListedArticle[] {
  const words = fold(search.slice(0, MAX_SEARCH)).match(/[\p{L}\p{N}]+/gu) ?? [];
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

/** Milliseconds between key presses: browsers limit how often an address may change. */
const TYPING_PAUSE = 150;

/** The filter of the address; typing changes the address, at the pauses. */
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

  // The field is uncontrolled: what was typed and chosen before hydration counts too.
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
      // What was pressed goes with the message it is in.
      searchRef.current.focus();
    },
  };
}
