import { Link } from 'react-router-dom';
import type { Article } from '../../../shared/content/articles.ts';
import { routePatterns } from '../../../shared/paths.ts';
import { Day } from '../../components/day.tsx';
import styles from './article.module.css';

/** Title, category, date and reading time of an article. */
export function ArticleHeader({ article }: { article: Article }) {
  const { title, description, category, label = category, date, readMinutes } = article;

  return (
    <header className={styles.header}>
      <div className={styles.inner}>
        <p>
          <Link className={styles.back} to={routePatterns.insights}>
            Back to Insights
          </Link>
        </p>
        <p className={styles.category}>{label}</p>
        <h1 className={styles.title} tabIndex={-1}>
          {title}
        </h1>
        <p className={styles.description}>{description}</p>
        <p className={styles.details}>
          <Day date={date} />
          <span aria-hidden="true"> · </span>
          <span>{readMinutes} min read</span>
        </p>
      </div>
    </header>
  );
}
