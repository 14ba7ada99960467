import type { IconName } from '../../shared/content/icon-name.ts';
import type { TitledText } from '../../shared/content/solution-schema.ts';
import { ContentIcon } from './content-icon.tsx';
import styles from './point-grid.module.css';

interface PointGridProps {
  readonly points: readonly (TitledText & { readonly icon?: IconName })[];
}

/** A grid or list of short text blocks with titles and optional icons. */
export function PointGrid({ points }: PointGridProps) {
  return (
    <ul className={styles.grid} role="list">
      {points.map(({ title, text, icon }) => (
        <li key={title} className={styles.point}>
          {icon && (
            <span className={styles.icon}>
              <ContentIcon name={icon} />
            </span>
          )}
          <h3 className={styles.title}>{title}</h3>
          <p className={styles.text}>{text}</p>
        </li>
      ))}
    </ul>
  );
}
