import { useEffect, useRef, type RefObject } from 'react';
import { useIsHydrated } from '../../app/page-state.tsx';
import styles from './reading-progress.module.css';

/** Where a text stands on the screen, in pixels. */
interface TextPosition {
  /** Distance of its first line from the top of the screen; negative once it has gone by. */
  readonly top: number;
  readonly height: number;
  readonly screenHeight: number;
}

/**
 * How much of a text has been scrolled through, from 0 to 1: nothing while its beginning is still
 * on the screen, all once its end is.
 */
export function measureProgress({ top, height, screenHeight }: TextPosition): number {
  const distance = height - screenHeight;
  if (distance <= 0) return top + height <= screenHeight ? 1 : 0;

  return Math.min(1, Math.max(0, -top / distance));
}

/** Calls `update` before the next frame after every movement, and at once. */
function watchMovement(update: () => void): () => void {
  let frame = requestAnimationFrame(update);
  const schedule = () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(update);
  };
  window.addEventListener('scroll', schedule, { passive: true });
  window.addEventListener('resize', schedule);

  return () => {
    cancelAnimationFrame(frame);
    window.removeEventListener('scroll', schedule);
    window.removeEventListener('resize', schedule);
  };
}

/** A thin bar below the header: how much of the text has been read. Needs scripts to be there. */
export function ReadingProgress({ of: textRef }: { of: RefObject<HTMLElement | null> }) {
  const barRef = useRef<HTMLProgressElement>(null);
  const isHydrated = useIsHydrated();

  useEffect(() => {
    if (!isHydrated) return undefined;

    return watchMovement(() => {
      if (!barRef.current || !textRef.current) return;
      const { top, height } = textRef.current.getBoundingClientRect();
      // The element itself, past React: nothing else changes while one scrolls.
      barRef.current.value = measureProgress({ top, height, screenHeight: innerHeight });
    });
  }, [isHydrated, textRef]);

  return isHydrated ? (
    <progress className={styles.bar} ref={barRef} max={1} aria-label="Reading progress" />
  ) : null;
}
