import {
  useEffect,
  useEffectEvent,
  useRef,
  type FocusEvent,
  type KeyboardEvent as ReactKeyboardEvent,
  type MouseEvent,
  type PointerEvent as ReactPointerEvent,
  type SyntheticEvent,
} from 'react';
import { BEYOND_MOBILE } from '../breakpoints.ts';

/**
 * Closes a `<details>` menu on Escape, on an outside click, when focus leaves it and on page exit (the back/forward
 * cache would restore it open).
 */
function useDisclosure() {
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

/** Returns the elements to make inert: all siblings of the drawer and of its ancestors. */
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
 * Turns a `<details>` into a full-screen drawer. While it is open, the rest of the page is inert to trap focus. It also
 * closes when the window becomes wider than the mobile breakpoint.
 */
export function useDrawer() {
  const { detailsRef, close } = useDisclosure();

  const closeOnChange = useEffectEvent(close);
  useEffect(() => {
    // The visitor may have opened the drawer before hydration.
    if (detailsRef.current) setOutsideInert(detailsRef.current, detailsRef.current.open);
    const wideScreen = matchMedia(BEYOND_MOBILE);
    const onChange = () => closeOnChange();
    wideScreen.addEventListener('change', onChange);

    return () => wideScreen.removeEventListener('change', onChange);
  }, [detailsRef]);

  const onToggle = ({ currentTarget, target }: SyntheticEvent<HTMLDetailsElement>) => {
    // React bubbles the toggle events of the menus inside the drawer.
    if (target !== currentTarget) return;
    setOutsideInert(currentTarget, currentTarget.open);
  };

  return { ref: detailsRef, onToggle };
}

/** In milliseconds. Short enough to feel prompt, long enough to ignore a passing pointer. */
const OPEN_DELAY = 120;
/** In milliseconds. The pointer may briefly leave the menu on its way to the sheet. */
const CLOSE_DELAY = 240;

/** Returns attributes that make a `<details>` menu also open on mouse hover and ArrowDown. */
export function useHoverMenu() {
  const { detailsRef, closeOnFocusOut } = useDisclosure();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isOpenByHover = useRef(false);

  const cancel = () => clearTimeout(timer.current);

  const schedule = (isOpen: boolean, delay: number) => {
    cancel();
    timer.current = setTimeout(() => {
      const details = detailsRef.current;
      if (!details || details.open === isOpen) return;
      details.open = isOpen;
      isOpenByHover.current = isOpen;
    }, delay);
  };

  // The pointer may already be over the menu at hydration. Touch is excluded, because its `:hover` outlasts a tap.
  const openUnderPointer = useEffectEvent(() => {
    const isUnderPointer = detailsRef.current?.matches(':hover') && matchMedia('(hover: hover)').matches;
    if (isUnderPointer) schedule(true, OPEN_DELAY);
  });
  useEffect(() => {
    openUnderPointer();

    return () => clearTimeout(timer.current);
  }, []);

  const onPointerEnter = ({ pointerType }: ReactPointerEvent) => {
    if (pointerType === 'mouse') schedule(true, OPEN_DELAY);
  };

  const onPointerLeave = ({ pointerType, currentTarget }: ReactPointerEvent) => {
    // Don't close the sheet while it has keyboard focus.
    const isFocusInSheet = currentTarget.querySelector('summary ~ * :focus') !== null;
    if (pointerType === 'mouse' && !isFocusInSheet) schedule(false, CLOSE_DELAY);
    else cancel();
  };

  const onSummaryClick = (event: MouseEvent) => {
    cancel();
    // Hover has already opened the menu, so this click must not close it.
    if (isOpenByHover.current && detailsRef.current?.open) event.preventDefault();
    isOpenByHover.current = false;
  };

  const onSummaryKeyDown = (event: ReactKeyboardEvent) => {
    const details = detailsRef.current;
    if (event.key !== 'ArrowDown' || !details) return;
    event.preventDefault();
    details.open = true;
    details.querySelector<HTMLElement>('summary ~ * a')?.focus();
  };

  return {
    details: { ref: detailsRef, onBlur: closeOnFocusOut, onPointerEnter, onPointerLeave },
    summary: { onClick: onSummaryClick, onKeyDown: onSummaryKeyDown },
  };
}
