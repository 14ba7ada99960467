import { Link } from 'react-router-dom';
import type { ArticleFrontMatter } from '../../../shared/content/front-matter.ts';
import { routePatterns } from '../../../shared/paths.ts';
import { Day } from '../../components/day.tsx';
import { ResponsivePicture } from '../../components/responsive-picture.tsx';
import styles from './article-header.module.css';
import { getArticlePicture, PICTURE_SIZES } from './article-pictures.ts';

/** Title, category, author, date and reading time of an article, with its picture. */
export function ArticleHeader({ article }: { article: ArticleFrontMatter }) {
  const { title, excerpt, category, label = category, author, date, readMinutes } = article;

  return (
    <header className={styles.header}>
      <div className={styles.words}>
        <p className={styles.back}>
          <Link to={routePatterns.insights}>Back to Insights</Link>
        </p>
        <p className={styles.label}>{label}</p>
        <h1 className={styles.title} tabIndex={-1}>
          {title}
        </h1>
        <p className={styles.excerpt}>{excerpt}</p>
        <p className={styles.details}>
          {author} <span aria-hidden="true">·</span> <Day date={date} />{' '}
          <span aria-hidden="true">·</span> {readMinutes} min read
        </p>
      </div>
      <ResponsivePicture
        className={styles.picture}
        source={getArticlePicture(article.picture)}
        alt={article.pictureAlt}
        sizes={PICTURE_SIZES}
        isPriority
      />
    </header>
  );
}
