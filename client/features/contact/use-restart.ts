import { useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { NavigationType, useLocation, useNavigationType } from 'react-router-dom';
import { isSamePart } from '../../app/navigation-effects.tsx';

/**
 * Whether this render follows a link to the page that is shown: not the way back, nor a page that changes its own
 * address, nor a plain anchor to a part of it, which the browser follows itself.
 */
function useIsLinkFollowed(): boolean {
  const location = useLocation();
  const navigationType = useNavigationType();
  const [shown, setShown] = useState(location);
  if (location === shown) return false;

  setShown(location);
  // For a link to the very address that is shown the router replaces it.
  const isRepeated = navigationType === NavigationType.Replace && isSamePart(shown, location);

  return isRepeated || navigationType === NavigationType.Push;
}

interface RestartOptions {
  readonly formRef: RefObject<HTMLFormElement | null>;
  /** What was sent stands in the form's place. */
  readonly isDone: boolean;
  /** Shows the empty form by setting state of the component. */
  readonly startAgain: () => void;
}

/** Starts again when a link asks for the page, and moves the focus to the form when it comes back. */
export function useRestart({ formRef, isDone, startAgain }: RestartOptions): void {
  const isLinkFollowed = useIsLinkFollowed();
  if (isLinkFollowed && isDone) startAgain();

  const wasDone = useRef(isDone);
  // A layout effect: where a link leads, to the page's top or a part of it, is decided in one that comes later.
  useLayoutEffect(() => {
    if (wasDone.current && !isDone) formRef.current?.querySelector('input')?.focus();
    wasDone.current = isDone;
  }, [formRef, isDone]);
}
