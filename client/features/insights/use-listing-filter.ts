import { useEffect, useEffectEvent, useRef } from 'react';
import { useSearchParams } from 'react-router-dom';
import { routePatterns } from '../../../shared/paths.ts';
import { findCategory, readFilter, writeFilter, type ListingFilter } from './listing-filter.ts';

/** Milliseconds between key presses: browsers limit how often an address may change. */
const TYPING_PAUSE = 150;

/** The filter is what the address says; typing changes the address, at the pauses. */
export function useListingFilter() {
  const [query, setQuery] = useSearchParams();
  const filter = readFilter(query);
  const searchRef = useRef<HTMLInputElement>(null);
  const categoryRef = useRef<HTMLSelectElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const apply = (next: ListingFilter) => {
    clearTimeout(timer.current);
    timer.current = undefined;
    // The address is another page's already while that page's script is on its way.
    if (window.location.pathname !== routePatterns.insights) return;
    setQuery(writeFilter(next), { replace: true });
  };
  const readTyped = () => searchRef.current?.value ?? filter.search;

  // What was typed and chosen before the page was live counts as typed and chosen.
  const applyEarlyInput = useEffectEvent(() => {
    const category = findCategory(categoryRef.current?.value);
    const early = { search: readTyped(), category };
    if (early.search !== filter.search || category !== filter.category) apply(early);
  });
  // The field keeps what is typed by itself; it follows the address when something else changes
  // that: a link, the way back.
  const follow = useEffectEvent((search: string) => {
    const field = searchRef.current;
    if (field && field.value !== search && timer.current === undefined) field.value = search;
  });
  const isShown = useRef(false);
  useEffect(() => {
    if (isShown.current) follow(filter.search);
    else applyEarlyInput();
    isShown.current = true;
  }, [filter.search]);
  useEffect(() => () => clearTimeout(timer.current), []);

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
    onClear: () => apply({ search: '', category: undefined }),
  };
}
