import { getAccentClass } from '../../../shared/accents/accents.ts';
import { solutions, type SolutionSlug } from '../../../shared/content/solutions.ts';
import { pathTo } from '../../../shared/paths.ts';
import aiTransformation from '../../assets/pictures/ai-transformation-card.webp?card';
import processAutomation from '../../assets/pictures/process-automation-card.webp?card';
import whiteLabelPlatform from '../../assets/pictures/white-label-platform-card.webp?card';
import fractionalCaio from '../../assets/pictures/fractional-caio-card.webp?card';
import expenseReductionAi from '../../assets/pictures/expense-reduction-ai-card.webp?card';
import contractCompliance from '../../assets/pictures/contract-compliance-card.webp?card';
import vendorManagement from '../../assets/pictures/vendor-management-card.webp?card';
import crossSellingAi from '../../assets/pictures/cross-selling-ai-card.webp?card';
import type { PictureFile } from '../../components/picture-source.ts';
import { ResponsivePicture } from '../../components/responsive-picture.tsx';
import styles from './solution-grid.module.css';

/** The picture of every solution's card. */
const cardPictures: Readonly<Record<SolutionSlug, PictureFile>> = {
  'ai-transformation': aiTransformation,
  'process-automation': processAutomation,
  'white-label-platform': whiteLabelPlatform,
  'fractional-caio': fractionalCaio,
  'expense-reduction-ai': expenseReductionAi,
  'contract-compliance': contractCompliance,
  'vendor-management': vendorManagement,
  'cross-selling-ai': crossSellingAi,
};

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
              <a className={styles.link} href={pathTo.solution(slug)}>
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
