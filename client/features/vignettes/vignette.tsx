import type { ReactNode } from 'react';
import styles from './vignette.module.css';

interface PartProps {
  /** When it appears, in 250 ms beats after the vignette comes into view. Default: its parent's beat or the first. */
  readonly beat?: 1 | 2 | 3 | 4;
  readonly className?: string | undefined;
  readonly children?: ReactNode;
}

/** Returns the defined class names, joined by spaces. */
export const join = (...classes: readonly (string | undefined)[]) => classes.filter(Boolean).join(' ');

interface VignetteProps {
  /** One sentence that describes the whole scene to screen readers. */
  readonly label: string;
  /** Positions the sheets on the stage. */
  readonly className: string | undefined;
  readonly children: ReactNode;
}

/**
 * An illustration of a product at work, built from sheets and announced as one image. The software's findings appear
 * when the vignette comes into view, or immediately with reduced motion.
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
  /** Shown beside the title, or below it on narrow stages. */
  readonly note?: string;
  /** On a phone, the other sheets are below the first one, offset to this side. */
  readonly place?: 'first' | 'right' | 'left';
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

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

/** A line with a label and, at its end, a value. The value wraps if space is tight. */
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

/** A list entry with its reason. */
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
 * Marks a finding or decision by the software. It is the only gold element, so use it once or twice per vignette. Lists
 * and our four steps may have one per entry.
 */
export function Bead({ beat, className }: PartProps) {
  return <span className={join(styles.bead, beat && styles[`beat${beat}`], className)} />;
}

/** A finding or decision by the software, with its bead. */
export function Finding({ beat, className, children }: PartProps) {
  return (
    <div className={join(styles.finding, beat && styles[`beat${beat}`], className)}>
      <Bead />
      {children}
    </div>
  );
}

/** Text that the vignette highlights. */
export function Stroke({ children }: Pick<PartProps, 'children'>) {
  return <mark className={styles.stroke}>{children}</mark>;
}
