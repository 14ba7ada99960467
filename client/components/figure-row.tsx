import type { Figure } from '../../shared/content/solution-schema.ts';
import styles from './figure-row.module.css';

/** The note shown with typical client results. */
export const RESULTS_NOTE =
  'Results depend on where you start. The assessment tells you what to expect in your case.';

interface FigureRowProps {
  readonly figures: readonly Figure[];
}

/** Large labeled figures for a dark surface. */
export function Figures({ figures }: FigureRowProps) {
  return (
    <dl className={styles.figures}>
      {figures.map(({ value, label }) => (
        <div key={label} className={styles.figure}>
          <dt className={styles.label}>{label}</dt>
          <dd className={styles.value}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A slim band with typical client results, below a hero. */
export function FigureRow({ figures }: FigureRowProps) {
  return (
    <section className={styles.band} aria-label="What clients typically see">
      <div className={styles.inner}>
        <Figures figures={figures} />
        <p className={styles.note}>{RESULTS_NOTE}</p>
      </div>
    </section>
  );
}
