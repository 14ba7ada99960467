import { useEffect, useEffectEvent, useLayoutEffect, type SyntheticEvent } from 'react';
import { useLocation } from 'react-router-dom';
import { BEYOND_MOBILE } from '../breakpoints.ts';
import { useDisclosure } from './use-disclosure.ts';

/** What a visitor could reach beside the drawer: the siblings of each element around it. */
function listOutside(drawer: HTMLElement): HTMLElement[] {
  const outside: HTMLElement[] = [];
  for (let element = drawer; element !== document.body; ) {
    const { parentElement } = element;
    if (!parentElement) break;
    for (const sibling of parentElement.children) {
      if (sibling !== element && sibling instanceof HTMLElement) outside.push(sibling);
    }
    element = parentElement;
  }

  return outside;
}

function setOutsideInert(drawer: HTMLElement, isInert: boolean): void {
  for (const element of listOutside(drawer)) element.inert = isInert;
}

/**
 * Makes a `<details>` the full-screen drawer of a phone: while it is open the page behind is
 * inert, so that focus stays inside. It closes as every menu does, and when the screen gets wide.
 */
export function useDrawer() {
  const { detailsRef, close } = useDisclosure();
  const location = useLocation();

  // A page that is navigated to can take the focus at once; the toggle event comes later.
  useLayoutEffect(() => {
    if (detailsRef.current) setOutsideInert(detailsRef.current, detailsRef.current.open);
  }, [detailsRef, location]);

  const closeOnChange = useEffectEvent(close);
  useEffect(() => {
    const wideScreen = matchMedia(BEYOND_MOBILE);
    const onChange = () => closeOnChange();
    wideScreen.addEventListener('change', onChange);

    return () => wideScreen.removeEventListener('change', onChange);
  }, []);

  const onToggle = ({ currentTarget, target }: SyntheticEvent<HTMLDetailsElement>) => {
    // The accordions inside toggle too, and React lets that rise.
    if (target !== currentTarget) return;
    setOutsideInert(currentTarget, currentTarget.open);
  };

  return { ref: detailsRef, onToggle };
}
