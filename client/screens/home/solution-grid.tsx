import { solutionCards } from 'virtual:solution-cards';
import { getAccentClass } from '../../../shared/accents/accents.ts';
import { pathTo } from '../../../shared/paths.ts';
import { ResponsivePicture } from '../../components/responsive-picture.tsx';
import shared from '../../components/shared.module.css';
import styles from './solution-grid.module.css';

/** The solutions as cards, up to four in a row. */
export function SolutionGrid() {
  return (
    <ul className={styles.grid} role="list">
      {solutionCards.map(({ slug, name, cardText, accent, picture }) => (
        <li key={slug} className={`${getAccentClass(accent)} ${shared.card} ${styles.card}`}>
          <ResponsivePicture
            className={styles.picture}
            source={{ landscape: picture }}
            alt=""
            sizes="(width > 62em) 18rem, (width > 35em) 46vw, 7rem"
          />
          <div className={styles.words}>
            <h3 className={styles.name}>
              <a className={shared.cardLink} href={pathTo.solution(slug)}>
                {name}
              </a>
            </h3>
            <p className={styles.text}>{cardText}</p>
          </div>
        </li>
      ))}
    </ul>
  );
}
