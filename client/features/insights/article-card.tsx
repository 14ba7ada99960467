import type { ListedArticle } from '../../../shared/content/article.ts';
import type { ArticlePicture } from '../../../shared/content/front-matter.ts';
import { pathTo } from '../../../shared/paths.ts';
import cagedSphere from '../../assets/pictures/articles/caged-sphere.jpg?card';
import capsules from '../../assets/pictures/articles/capsules.jpg?card';
import fiveSpheres from '../../assets/pictures/articles/five-spheres.jpg?card';
import goldenBalance from '../../assets/pictures/articles/golden-balance.jpg?card';
import goldenWave from '../../assets/pictures/articles/golden-wave.jpg?card';
import renewedRow from '../../assets/pictures/articles/renewed-row.jpg?card';
import risingColumns from '../../assets/pictures/articles/rising-columns.jpg?card';
import sevenStreams from '../../assets/pictures/articles/seven-streams.jpg?card';
import threeBelts from '../../assets/pictures/articles/three-belts.jpg?card';
import { Byline } from '../../components/byline.tsx';
import { Link } from '../../components/link.tsx';
import type { PictureFile } from '../../components/picture-source.ts';
import { ResponsivePicture } from '../../components/responsive-picture.tsx';
import styles from './article-card.module.css';

/** The pictures of the articles' cards. */
const articlePictureFiles: Readonly<Record<ArticlePicture, PictureFile>> = {
  'caged-sphere': cagedSphere,
  capsules,
  'five-spheres': fiveSpheres,
  'golden-balance': goldenBalance,
  'golden-wave': goldenWave,
  'renewed-row': renewedRow,
  'rising-columns': risingColumns,
  'seven-streams': sevenStreams,
  'three-belts': threeBelts,
};

interface ArticleCardProps {
  readonly article: ListedArticle;
  /** Picture above the words, or beside them where there are many cards. */
  readonly layout: 'tall' | 'flat';
}

const sizes = {
  tall: '(width > 45em) min(30vw, 24rem), 92vw',
  flat: '(width > 40em) 11rem, 30vw',
} as const;

/** An article in a list: all of it leads to the article. */
export function ArticleCard({ article, layout }: ArticleCardProps) {
  const { slug, title, excerpt, category, label = category } = article;

  return (
    <article className={`${styles.card} ${styles[layout]}`}>
      <ResponsivePicture
        className={styles.picture}
        source={{ landscape: articlePictureFiles[article.picture] }}
        alt=""
        sizes={sizes[layout]}
      />
      <div className={styles.words}>
        <p className={styles.label}>{label}</p>
        <h3 className={styles.title}>
          <Link className={styles.link} to={pathTo.article(slug)}>
            {title}
          </Link>
        </h3>
        <p className={styles.excerpt}>{excerpt}</p>
        <Byline className={styles.byline} article={article} />
      </div>
    </article>
  );
}
