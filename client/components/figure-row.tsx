import type { Figure } from '../../shared/content/solution-pages/solution-page.ts';
import styles from './figure-row.module.css';

/** What clients typically see, in large figures; goes into a section. */
export function FigureRow({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl className={styles.row}>
      {figures.map(({ value, label }) => (
        <div key={label} className={styles.figure}>
          <dt className={styles.label}>{label}</dt>
          <dd className={styles.value}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
