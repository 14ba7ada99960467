import { Link } from 'react-router-dom';
import { getAccentClass } from '../../../shared/accents/accents.ts';
import { solutions } from '../../../shared/content/solutions.ts';
import { pathTo } from '../../../shared/paths.ts';
import { ResponsivePicture } from '../../components/responsive-picture.tsx';
import { cardPictures } from './card-pictures.ts';
import styles from './solution-grid.module.css';

/** The eight solutions as cards, in two rows of four where there is room. */
export function SolutionGrid() {
  return (
    <ul className={styles.grid} role="list">
      {solutions.map(({ slug, name, cardText, accent }) => (
        <li key={slug} className={`${getAccentClass(accent)} ${styles.card}`}>
          <ResponsivePicture
            className={styles.picture}
            source={{ landscape: cardPictures[slug] }}
            alt=""
            sizes="(width > 62em) 18rem, (width > 35em) 46vw, 92vw"
          />
          <div className={styles.words}>
            <h3 className={styles.name}>
              <Link className={styles.link} to={pathTo.solution(slug)}>
                {name}
              </Link>
            </h3>
            <p className={styles.text}>{cardText}</p>
          </div>
        </li>
      ))}
    </ul>
  );
}
