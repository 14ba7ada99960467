import { pathTo } from '../../../shared/paths.ts';
import type { ArticleFrame, ArticleLink } from './article-pages.ts';
import styles from './other-articles.module.css';

interface OtherArticleProps {
  readonly article: ArticleLink | undefined;
  readonly rel: 'prev' | 'next';
}

const labels = { prev: 'Previous article', next: 'Next article' } as const;

function OtherArticle({ article, rel }: OtherArticleProps) {
  if (!article) return null;

  return (
    <a className={`${styles.link} ${styles[rel]}`} href={pathTo.article(article.slug)} rel={rel}>
      <span className={styles.label}>{labels[rel]}</span>
      <span className={styles.title}>{article.title}</span>
    </a>
  );
}

/** The articles before and after this one, from the newest to the oldest. */
export function OtherArticles({ previous, next }: Pick<ArticleFrame, 'previous' | 'next'>) {
  return (
    <nav className={styles.others} aria-label="Other articles">
      <OtherArticle article={previous} rel="prev" />
      <OtherArticle article={next} rel="next" />
    </nav>
  );
}
