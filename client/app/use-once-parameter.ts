import { useEffect } from 'react';
import { useSearchParams } from 'react-router-dom';

/**
 * Whether a plain post was accepted and redirected here with this parameter. It is taken out of the address, which would
 * show the success again on reload or from a bookmark.
 */
export function useOnceParameter(name: string): boolean {
  const [query, setQuery] = useSearchParams();
  const isSet = query.get(name) === '1';

  useEffect(() => {
    if (!isSet) return;
    // What was entered before hydration may have changed the address since this render.
    const current = new URLSearchParams(location.search);
    current.delete(name);
    setQuery(current, { replace: true, preventScrollReset: true });
  }, [isSet, name, setQuery]);

  return isSet;
}
