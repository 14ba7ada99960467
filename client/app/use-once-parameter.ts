import { useEffect } from 'react';
import { useSearchParams } from 'react-router-dom';

/**
 * Returns whether the server redirected here with `?name=1` after accepting a form. Removes the parameter from the URL,
 * so that a reload or a bookmark doesn't show the success message again.
 */
export function useOnceParameter(name: string): boolean {
  const [query, setQuery] = useSearchParams();
  const isSet = query.get(name) === '1';

  useEffect(() => {
    if (!isSet) return;
    // Input before hydration may have changed the URL since this render.
    const current = new URLSearchParams(location.search);
    current.delete(name);
    setQuery(current, { replace: true, preventScrollReset: true });
  }, [isSet, name, setQuery]);

  return isSet;
}
