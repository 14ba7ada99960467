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
 * Closes a `<details>` menu on Escape, on a click beside it, when the focus leaves it, and when the page is left, because
 * the browser may restore the page as it was. The menu opens and closes without this too.
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

/** Short enough to feel prompt, long enough for a pointer that only passes by. */
const OPEN_DELAY = 120;
/** Lets the pointer cut a corner on its way into the sheet. */
const CLOSE_DELAY = 240;

/** Makes a `<details>` menu open under a mouse and on ArrowDown as well. */
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

  // The pointer whose coming woke React is on the menu already. A finger's has no `:hover` that stays.
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
    // Someone who tabbed into the sheet is not interrupted, wherever the mouse rests.
    const isFocusInSheet = currentTarget.querySelector('summary ~ * :focus') !== null;
    if (pointerType === 'mouse' && !isFocusInSheet) schedule(false, CLOSE_DELAY);
    else cancel();
  };

  const onSummaryClick = (event: MouseEvent) => {
    cancel();
    // The menu is open because the pointer is here: the click asked for what hovering did.
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
