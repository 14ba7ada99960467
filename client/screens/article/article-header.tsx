import { Link } from 'react-router-dom';
import type { Article } from '../../../shared/content/articles.ts';
import { routePatterns } from '../../../shared/paths.ts';
import styles from './article.module.css';

// The same words on the server and in every browser, whatever its time zone.
const dateFormat = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });

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
          <time dateTime={date}>{dateFormat.format(new Date(date))}</time>
          <span aria-hidden="true"> · </span>
          <span>{readMinutes} min read</span>
        </p>
      </div>
    </header>
  );
}
