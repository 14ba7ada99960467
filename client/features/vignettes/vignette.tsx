import type { ReactNode } from 'react';
import styles from './vignette.module.css';

interface VignetteProps {
  /** One sentence that tells the whole story; it is read out in place of the drawing. */
  readonly label: string;
  /** How the sheets lie on the stage. */
  readonly className: string | undefined;
  readonly children: ReactNode;
}

/**
 * A drawn scene of a product at work: sheets on a stage, which a screen reader takes for one picture. Its parts move
 * once when it comes into view, those with a class of `motion`; without motion it shows how the story ends.
 */
export function Vignette({ label, className, children }: VignetteProps) {
  return (
    <figure className={styles.vignette}>
      <div className={`${styles.stage} ${className}`} role="img" aria-label={label}>
        {children}
      </div>
      <figcaption className={styles.caption}>Illustration with sample data.</figcaption>
    </figure>
  );
}

interface SheetProps {
  readonly title: string;
  /** Stands beside the title, or below it where there is no room. */
  readonly note?: string;
  readonly className: string | undefined;
  readonly children: ReactNode;
}

/** A sheet of paper. */
export function Sheet({ title, note, className, children }: SheetProps) {
  return (
    <div className={`${styles.sheet} ${className}`}>
      <div className={styles.head}>
        <b className={styles.title}>{title}</b>
        {note}
      </div>
      {children}
    </div>
  );
}

interface RowProps {
  readonly name: ReactNode;
  readonly value: ReactNode;
  readonly className?: string | undefined;
}

/** A line of a sheet: what it is about, and at the end its value, on a line of its own where there is no room. */
export function Row({ name, value, className = '' }: RowProps) {
  return (
    <div className={`${styles.row} ${className}`}>
      <span>{name}</span>
      <span className={styles.value}>{value}</span>
    </div>
  );
}

/**
 * Marks what the software found or decided, and is the only gold: once or twice in a vignette, three times where it
 * shows a ranking, four times where it shows our steps. It arrives with a `--delay` of its own.
 */
export function Bead({ className = '' }: { readonly className?: string | undefined }) {
  return <span className={`${styles.bead} ${className}`} />;
}

/**
 * How a part comes in; a part's `--delay` says when, counted from the moment the vignette is seen. All of it ends
 * within five seconds (WCAG 2.2, 2.2.2).
 */
export const motion = { rise: styles.rise, slide: styles.slide, sweep: styles.sweep, grow: styles.grow } as const;

/** Words and figures that look the same on every sheet. */
export const text = {
  quiet: styles.quiet,
  muted: styles.muted,
  flag: styles.flag,
} as const;
