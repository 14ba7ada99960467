import {
  useEffect,
  useEffectEvent,
  useRef,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
} from 'react';
import { useDisclosure } from './use-disclosure.ts';

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

  const onPointerEnter = ({ pointerType }: PointerEvent) => {
    if (pointerType === 'mouse') schedule(true, OPEN_DELAY);
  };

  const onPointerLeave = ({ pointerType, currentTarget }: PointerEvent) => {
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

  const onSummaryKeyDown = (event: KeyboardEvent) => {
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
