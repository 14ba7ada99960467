import { useEffect, useEffectEvent, type SyntheticEvent } from 'react';
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

  const closeOnChange = useEffectEvent(close);
  useEffect(() => {
    // It may have been opened before the page was hydrated.
    if (detailsRef.current) setOutsideInert(detailsRef.current, detailsRef.current.open);
    const wideScreen = matchMedia(BEYOND_MOBILE);
    const onChange = () => closeOnChange();
    wideScreen.addEventListener('change', onChange);

    return () => wideScreen.removeEventListener('change', onChange);
  }, [detailsRef]);

  const onToggle = ({ currentTarget, target }: SyntheticEvent<HTMLDetailsElement>) => {
    // The accordions inside toggle too, and React lets that rise.
    if (target !== currentTarget) return;
    setOutsideInert(currentTarget, currentTarget.open);
  };

  return { ref: detailsRef, onToggle };
}
