import type { ReactNode } from 'react';
import styles from './vignette.module.css';

interface PartProps {
  /** When it comes in, in beats of 250 ms from the moment the vignette is seen; without one, its parent's, or the first. */
  readonly beat?: 1 | 2 | 3 | 4;
  readonly className?: string | undefined;
  readonly children?: ReactNode;
}

/** The classes that there are, for one attribute. */
export const join = (...classes: readonly (string | undefined)[]) => classes.filter(Boolean).join(' ');

interface VignetteProps {
  /** One sentence that tells the whole story; it is read out in place of the drawing. */
  readonly label: string;
  /** Places the sheets on the stage. */
  readonly className: string | undefined;
  readonly children: ReactNode;
}

/**
 * A drawn scene of a product at work: sheets on a stage, which a screen reader takes for one picture. It shows the work
 * from the first, and what the software finds comes in once, when it is seen; without motion it is there.
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
  /** On a phone the others lie below the first, toward this side. */
  readonly place?: 'first' | 'right' | 'left';
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/** A sheet of paper. */
export function Sheet({ title, note, place, className, children }: SheetProps) {
  return (
    <div className={join(styles.sheet, place && styles[place], className)}>
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
export function Row({ name, value, className }: RowProps) {
  return (
    <div className={join(styles.row, className)}>
      <span>{name}</span>
      <span className={styles.value}>{value}</span>
    </div>
  );
}

interface ItemProps {
  readonly mark: ReactNode;
  readonly title: string;
  readonly reason: string;
  readonly className?: string | undefined;
}

/** An entry of a list with its reason. */
export function Item({ mark, title, reason, className }: ItemProps) {
  return (
    <div className={join(styles.item, className)}>
      {mark}
      <b>{title}</b>
      <span className={styles.muted}>{reason}</span>
    </div>
  );
}

/**
 * Marks what the software found or decided, and is the only gold: once or twice in a vignette, three times where it
 * shows a ranking, four times where it shows our steps.
 */
export function Bead({ beat, className }: PartProps) {
  return <span className={join(styles.bead, beat && styles[`beat${beat}`], className)} />;
}

/** What the software found or decided, behind its bead. */
export function Finding({ beat, className, children }: PartProps) {
  return (
    <div className={join(styles.finding, beat && styles[`beat${beat}`], className)}>
      <Bead />
      {children}
    </div>
  );
}

/** Words that are marked while they are read. */
export function Stroke({ children }: Pick<PartProps, 'children'>) {
  return <mark className={styles.stroke}>{children}</mark>;
}
