import { Link } from 'react-router-dom';
import { solutions } from '../../../shared/content/solutions.ts';
import { pathTo } from '../../../shared/paths.ts';
import styles from './solution-grid.module.css';

/** The eight solutions as cards, in two rows of four where there is room. */
export function SolutionGrid() {
  return (
    <ul className={styles.grid} role="list">
      {solutions.map(({ slug, name, cardText }) => (
        <li key={slug} className={styles.card}>
          <h3 className={styles.name}>
            <Link className={styles.link} to={pathTo.solution(slug)}>
              {name}
            </Link>
          </h3>
          <p className={styles.text}>{cardText}</p>
        </li>
      ))}
    </ul>
  );
}
