import { useEffect, useRef, type FocusEvent } from 'react';

/**
 * Closes a `<details>` menu on Escape, on a click beside it, when the focus leaves it, and when the page is left, because
 * the browser may restore the page as it was. The menu opens and closes without this too.
 */
export function useDisclosure() {
  const detailsRef = useRef<HTMLDetailsElement>(null);

  const close = () => {
    if (detailsRef.current) detailsRef.current.open = false;
  };

  useEffect(() => {
    const closeOnPress = ({ target }: PointerEvent) => {
      if (target instanceof Node && !detailsRef.current?.contains(target)) close();
    };
    const closeOnEscape = ({ key }: KeyboardEvent) => {
      const details = detailsRef.current;
      if (key !== 'Escape' || !details?.open) return;
      if (details.contains(document.activeElement)) details.querySelector('summary')?.focus();
      details.open = false;
    };
    document.addEventListener('pointerdown', closeOnPress);
    document.addEventListener('keydown', closeOnEscape);
    window.addEventListener('pagehide', close);

    return () => {
      document.removeEventListener('pointerdown', closeOnPress);
      document.removeEventListener('keydown', closeOnEscape);
      window.removeEventListener('pagehide', close);
    };
  }, []);

  const closeOnFocusOut = ({ relatedTarget, currentTarget }: FocusEvent<HTMLElement>) => {
    if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)) close();
  };

  return { detailsRef, close, closeOnFocusOut };
}
