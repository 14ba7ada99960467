import type { ListedArticle } from '../../shared/content/article.ts';
import styles from './byline.module.css';
import { Day } from './day.tsx';

interface BylineProps {
  readonly article: Pick<ListedArticle, 'author' | 'date' | 'readMinutes'>;
  readonly className?: string | undefined;
}

/** Author, day and reading time of an article, with dots between those that share a line. */
export function Byline({ article: { author, date, readMinutes }, className = '' }: BylineProps) {
  return (
    <p className={`${styles.byline} ${className}`.trimEnd()}>
      <span>{author}</span> <Day date={date} /> <span>{`${readMinutes} min read`}</span>
    </p>
  );
}
