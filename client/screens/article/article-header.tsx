import type { ArticleFrontMatter } from '../../../shared/content/content-schema.ts';
import { routePatterns } from '../../../shared/paths.ts';
import { Byline } from '../../components/byline.tsx';
import type { PictureFile } from '../../components/picture-source.ts';
import { ResponsivePicture } from '../../components/responsive-picture.tsx';
import shared from '../../components/shared.module.css';
import styles from './article-header.module.css';

/** The picture is beside the text on wide screens and below it on others. */
export const PICTURE_SIZES = '(width > 62em) 35rem, (width > 48em) 44rem, 92vw';

interface ArticleHeaderProps {
  readonly article: ArticleFrontMatter;
  readonly picture: PictureFile;
}

/** An article's title, category, byline and picture. */
export function ArticleHeader({ article, picture }: ArticleHeaderProps) {
  const { title, excerpt, category, label = category } = article;

  return (
    <header className={`${shared.page} ${styles.header}`}>
      <div className={`${shared.stack} ${styles.words}`}>
        <p className={`${styles.back} ${shared.notPrinted}`}>
          <a href={routePatterns.insights}>Back to Insights</a>
        </p>
        <p className={shared.eyebrow}>{label}</p>
        <h1 className={styles.title}>{title}</h1>
        <p className={styles.excerpt}>{excerpt}</p>
        <Byline article={article} />
      </div>
      <ResponsivePicture
        className={styles.picture}
        source={{ landscape: picture }}
        alt={article.pictureAlt}
        sizes={PICTURE_SIZES}
        isPriority
      />
    </header>
  );
}
