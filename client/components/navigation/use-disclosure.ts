import { useEffect, useLayoutEffect, useRef, type FocusEvent } from 'react';
import { useLocation } from 'react-router-dom';

/**
 * Closes a `<details>` menu when the visitor is done with it: after a navigation, on Escape, on a
 * click beside it, and when the focus leaves it. It opens and closes without this too.
 */
export function useDisclosure() {
  const detailsRef = useRef<HTMLDetailsElement>(null);
  const location = useLocation();
  const closedFor = useRef(location);

  const close = () => {
    if (detailsRef.current) detailsRef.current.open = false;
  };

  useLayoutEffect(() => {
    // A menu opened before the scripts were here stays open.
    if (closedFor.current === location) return;
    closedFor.current = location;
    close();
  }, [location]);

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

    return () => {
      document.removeEventListener('pointerdown', closeOnPress);
      document.removeEventListener('keydown', closeOnEscape);
    };
  }, []);

  const closeOnFocusOut = ({ relatedTarget, currentTarget }: FocusEvent<HTMLElement>) => {
    if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)) close();
  };

  return { detailsRef, close, closeOnFocusOut };
}
