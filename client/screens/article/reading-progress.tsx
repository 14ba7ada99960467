import { useEffect, useRef, type RefObject } from 'react';
import { useIsLive } from '../../components/use-is-live.ts';
import { measureProgress } from './measure-progress.ts';
import styles from './reading-progress.module.css';

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
  const isLive = useIsLive();

  useEffect(() => {
    if (!isLive) return undefined;

    return watchMovement(() => {
      if (!barRef.current || !textRef.current) return;
      const { top, height } = textRef.current.getBoundingClientRect();
      // The element itself, past React: nothing else changes while one scrolls.
      barRef.current.value = measureProgress({ top, height, screenHeight: innerHeight });
    });
  }, [isLive, textRef]);

  return isLive ? (
    <progress className={styles.bar} ref={barRef} max={1} aria-label="Reading progress" />
  ) : null;
}
