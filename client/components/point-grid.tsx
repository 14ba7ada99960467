import type { TitledText } from '../../shared/content/solution-pages/solution-page.ts';
import styles from './point-grid.module.css';

interface PointGridProps {
  readonly points: readonly TitledText[];
  /** Numbered points are steps: their order matters. */
  readonly isNumbered?: boolean;
}

/** A few titled sentences side by side, inside a section. */
export function PointGrid({ points, isNumbered = false }: PointGridProps) {
  const List = isNumbered ? 'ol' : 'ul';

  return (
    <List className={`${styles.grid} ${isNumbered ? styles.numbered : ''}`} role="list">
      {points.map(({ title, text }) => (
        <li key={title} className={styles.point}>
          <h3>{title}</h3>
          <p className={styles.text}>{text}</p>
        </li>
      ))}
    </List>
  );
}
